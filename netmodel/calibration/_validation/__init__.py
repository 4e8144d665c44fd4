"""Models judged by what they were not shown."""

__all__: list[str] = []
