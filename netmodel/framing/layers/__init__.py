"""Layers that a header stack can be composed of, one function each."""
