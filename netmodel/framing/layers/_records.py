"""Records that an application's protocol cuts the byte stream of TCP into."""

from typing import Literal, TypeAlias

from netmodel.framing._layer import WORD_BYTES, Layer, Level, layer, parts, require_multiple
from netmodel.numeric import require_at_least, require_within

_MAX_TLS_RECORD_BYTES = 2**14
"""RFC 8446, section 5.1."""
_ISCSI_SEGMENT_BYTES = 8192
"""Default of MaxRecvDataSegmentLength (RFC 7143, section 13.12)."""
_MAX_ISCSI_SEGMENT_BYTES = 2**24 - 4
"""Largest in 24 bits whose padding is complete (RFC 7143, section 13.12)."""
_NVME_DATA_BYTES = 4096
"""Smallest MAXH2CDATA that a controller may announce (NVMe/TCP specification, ICResp)."""
_MAX_NVME_DATA_BYTES = 2**32 - 4
"""Length field of 32 bits."""
_DIGEST_BYTES = 4
"""CRC32C."""


Protection: TypeAlias = Literal["1.3", "1.2-aes-gcm", "1.2-chacha20-poly1305"]
"""How TLS protects a record."""
_TLS_PARTS: dict[Protection, tuple[str, int]] = {
    "1.3": ("tls_content_type", 1),
    "1.2-aes-gcm": ("tls_nonce", 8),
    "1.2-chacha20-poly1305": ("tls_nonce", 0),
}
"""
In a record beside header, payload and tag: the inner content type of RFC 8446, section 5.2; the
explicit nonce of RFC 5288, section 3; RFC 7905, section 2, has none.
"""


@layer
def tls(protection: Protection = "1.3", record_bytes: int = _MAX_TLS_RECORD_BYTES) -> Layer:
    """
    Return the layer of TLS over TCP: records of application data.

    Parameters
    ----------
    protection : {"1.3", "1.2-aes-gcm", "1.2-chacha20-poly1305"}
        Version, and for version 1.2 the cipher suite.
    record_bytes : int
        Application data of a full record, 1 to 16384. [byte]

    Returns
    -------
    layer : Layer
        For each record a header of 5 and a check value of 16 bytes, and a content
        type of 1 in version 1.3 or a nonce of 8 with AES-GCM in version 1.2.
        Version 1.3 may pad records, which is not counted.

    Raises
    ------
    DomainError
        If a record is empty or longer than the standard allows.

    References
    ----------
    RFC 8446, sections 5.1 and 5.2; RFC 5288, section 3; RFC 7905, section 2.

    Examples
    --------
    A full record, and what the largest records cost per payload byte:

    >>> tls().fixed_bytes, round(tls().fixed_bytes / tls().record_bytes, 5)
    (22, 0.00134)
    """
    require_within("record_bytes", record_bytes, 1, _MAX_TLS_RECORD_BYTES, "byte")
    return Layer(
        "tls",
        Level.RECORDS,
        parts(tls_header=5, **dict([_TLS_PARTS[protection]])),  # type 1, version 2, length 2
        frozenset({"tcp"}),
        trailer=parts(tls_tag=16),  # of AES-GCM and of ChaCha20-Poly1305 alike
        record_bytes=record_bytes,
    )


@layer
def iscsi(
    segment_bytes: int = _ISCSI_SEGMENT_BYTES,
    *,
    header_digest: bool = False,
    data_digest: bool = False,
) -> Layer:
    """
    Return the layer of iSCSI over TCP: the units that carry data.

    Parameters
    ----------
    segment_bytes : int
        Data segment of a full unit, which the receiver bounds
        (MaxRecvDataSegmentLength): a multiple of 4. [byte]
    header_digest : bool
        Whether each unit has a digest of its header.
    data_digest : bool
        Whether each unit has a digest of its data.

    Returns
    -------
    layer : Layer
        For each unit a header of 48 bytes and 4 for each digest; data are padded
        to a multiple of 4. Commands, responses and requests to transfer are not
        counted.

    Raises
    ------
    DomainError
        If a data segment is empty, no multiple of 4 or longer than its length
        field can say.

    References
    ----------
    RFC 7143, sections 11.2, 11.7 and 13.12.

    Examples
    --------
    >>> iscsi().fixed_bytes, iscsi(header_digest=True, data_digest=True).fixed_bytes
    (48, 56)
    """
    _require_words("segment_bytes", segment_bytes, _MAX_ISCSI_SEGMENT_BYTES)
    # basic header segment (section 11.2.1)
    header = parts(iscsi_header=48, iscsi_header_digest=_DIGEST_BYTES * header_digest)
    return Layer(
        "iscsi",
        Level.RECORDS,
        header,
        frozenset({"tcp"}),
        trailer=parts(iscsi_data_digest=_DIGEST_BYTES * data_digest),
        block_bytes=WORD_BYTES,
        record_bytes=segment_bytes,
    )


@layer
def nvme_tcp(
    data_bytes: int = _NVME_DATA_BYTES, *, header_digest: bool = False, data_digest: bool = False
) -> Layer:
    """
    Return the layer of NVMe over TCP: the units that carry data.

    Parameters
    ----------
    data_bytes : int
        Data of a full unit: from host to controller at most what the controller
        takes (MAXH2CDATA), which is at least 4096. A multiple of 4. [byte]
    header_digest : bool
        Whether each unit has a digest of its header.
    data_digest : bool
        Whether each unit has a digest of its data.

    Returns
    -------
    layer : Layer
        For each unit a header of 24 bytes and 4 for each digest; data are padded
        to a multiple of 4. Commands, responses and requests to transfer are not
        counted, nor is data that a command carries itself.

    Raises
    ------
    DomainError
        If a unit is empty, no multiple of 4 or longer than its length field can
        say.

    References
    ----------
    NVM Express, TCP Transport Specification 1.0, sections 3.3.2.2 and 3.6.2;
    Linux, ``include/linux/nvme-tcp.h``.

    Examples
    --------
    >>> nvme_tcp().fixed_bytes, nvme_tcp(header_digest=True, data_digest=True).fixed_bytes
    (24, 32)
    """
    _require_words("data_bytes", data_bytes, _MAX_NVME_DATA_BYTES)
    # common header of 8 and 16 of a data unit (section 3.6.2)
    header = parts(nvme_header=24, nvme_header_digest=_DIGEST_BYTES * header_digest)
    return Layer(
        "nvme-tcp",
        Level.RECORDS,
        header,
        frozenset({"tcp", "tls"}),
        trailer=parts(nvme_data_digest=_DIGEST_BYTES * data_digest),
        block_bytes=WORD_BYTES,
        record_bytes=data_bytes,
    )


def _require_words(name: str, value: int, at_most: int) -> None:
    require_at_least(name, value, WORD_BYTES, "byte")
    require_multiple(name, value, WORD_BYTES, at_most)
