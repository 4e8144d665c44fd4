"""Records that netmodel calibrates itself, from what documents state and print in tables."""

from netmodel.calibration.published._documents import Document, Maker, decimal_of, time_text
from netmodel.calibration.published._zvm import zvm_documents

__all__ = ["Document", "Maker", "decimal_of", "time_text", "zvm_documents"]
