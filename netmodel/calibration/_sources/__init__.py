"""Where observations come from, and under which conditions they hold."""

__all__: list[str] = []
