"""Models to calibrate."""
