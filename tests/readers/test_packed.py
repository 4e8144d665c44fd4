"""Results that are packed with gzip: unpacked, but never without bound."""

import gzip
import hashlib
import zlib
from functools import partial
from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.readers import read_result

read_iperf3 = partial(read_result, format_name="iperf3")

SAMPLE = Path(__file__).parent / "samples" / "iperf3" / "iperf3_3.21_tcp.json"
MEBIBYTE = 2**20


def problem_of(raw: bytes) -> str:
    with pytest.raises(ParseError) as caught:
        read_result(raw)
    return str(caught.value)


def test_a_packed_result_is_read_as_the_plain_one(tmp_path: Path) -> None:
    packed = gzip.compress(SAMPLE.read_bytes())
    file = tmp_path / "run.json.gz"
    file.write_bytes(packed)
    (run,) = read_result(file)
    (plain,) = read_iperf3(SAMPLE)
    assert run.goodput_bps == plain.goodput_bps
    assert run.file.raw_text == plain.file.raw_text
    assert run.file.sha256 == hashlib.sha256(packed).hexdigest()


def test_what_unpacks_to_too_much_is_refused() -> None:
    """A bomb: 256 MiB in a quarter of one, of which no more than 64 MiB and a byte are unpacked."""
    packer = zlib.compressobj(wbits=31)
    bomb = b"".join(packer.compress(bytes(MEBIBYTE)) for _ in range(256)) + packer.flush()
    assert len(bomb) < MEBIBYTE
    assert problem_of(bomb) == "<bytes>: unpacks to more than 67108864 byte"


def test_as_much_as_is_allowed_is_unpacked() -> None:
    packed = gzip.compress(b" " * (64 * MEBIBYTE), compresslevel=1)
    assert problem_of(packed) == "<bytes>: the file is empty"


@pytest.mark.parametrize("damage", ["cut", "checksum", "body", "head"])
def test_damaged_gzip_is_refused(damage: str) -> None:
    packed = bytearray(gzip.compress(SAMPLE.read_bytes()))
    match damage:
        case "cut":
            del packed[-20:]
        case "checksum":
            packed[-8] ^= 1
        case "body":
            packed[20:60] = b"\xff" * 40
        case "head":
            packed[2] = 9
    assert "packed, but damaged or cut off" in problem_of(bytes(packed))


def test_gzip_inside_gzip_is_not_unpacked_twice() -> None:
    assert "not a text file" in problem_of(gzip.compress(gzip.compress(SAMPLE.read_bytes())))
