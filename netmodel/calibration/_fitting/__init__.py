"""The likeliest parameters, with intervals."""

__all__: list[str] = []
