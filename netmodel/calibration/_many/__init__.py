"""Thousands of small fits at once."""

__all__: list[str] = []
