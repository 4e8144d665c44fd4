"""The last release as a net: both versions are asked the same questions, and answer alike."""
