"""All parameters that observations allow, exactly."""

__all__: list[str] = []
