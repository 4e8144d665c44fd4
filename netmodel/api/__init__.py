"""Questions to the library, asked with ids, files, records or objects, and text with units."""

from netmodel.api._questions import ceiling, check, plan, predict

__all__ = ["ceiling", "check", "plan", "predict"]
