"""Runs of a tool with what their hosts were: commands that only read, files, and what they show."""

__all__: list[str] = []
