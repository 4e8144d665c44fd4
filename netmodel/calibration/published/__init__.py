"""Records that netmodel calibrates itself, from what documents state and print in tables."""

from collections.abc import Mapping

from netmodel.calibration.published._adapters import adapter_documents, adapter_inputs
from netmodel.calibration.published._documents import (
    Document,
    Maker,
)
from netmodel.calibration.published._files import (
    CalibratedFile,
    FileState,
    calibrated_files,
    write_calibrated_files,
)
from netmodel.calibration.published._kvm import kvm_documents
from netmodel.calibration.published._powervm import powervm_documents
from netmodel.calibration.published._zvm import zvm_documents

__all__ = [
    "MAKERS",
    "CalibratedFile",
    "FileState",
    "adapter_documents",
    "adapter_inputs",
    "calibrated_files",
    "kvm_documents",
    "powervm_documents",
    "published_documents",
    "write_calibrated_files",
    "zvm_documents",
]

MAKERS: Mapping[str, Maker] = {
    "adapters": adapter_documents,
    "kvm": kvm_documents,
    "powervm": powervm_documents,
    "zvm": zvm_documents,
}
"""What makes the documents of records, by what they are of."""


def published_documents() -> dict[tuple[str, str], Document]:
    """
    Documents of all records that are calibrated from what was published.

    Returns
    -------
    documents : dict of (str, str) to dict
        By kind, such as ``"adapters"``, and id: what `netmodel.records.record_text`
        takes. The files below ``data/calibrated`` hold them.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.

    See Also
    --------
    calibrated_files : How they compare with those files.

    Examples
    --------
    >>> {kind for kind, _ in published_documents()} <= {"adapters", "paths"}
    True
    """
    return {key: one for make in MAKERS.values() for key, one in make().items()}
