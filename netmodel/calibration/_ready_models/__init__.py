"""Models ready to calibrate."""

__all__: list[str] = []
