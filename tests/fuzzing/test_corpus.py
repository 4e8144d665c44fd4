"""Inputs that a fuzzer found worth keeping, one for each kind of answer: a result or its error."""

import pytest
from fuzz_targets import CORPUS, TARGETS

LARGEST_BYTES = 4096
LONGEST_S = 20
"""Ten times what an input may take: a busy machine fails no test. [s]"""
LARGEST_CORPUS_BYTES = 300 * 1024


@pytest.mark.parametrize("name", TARGETS)
def test_kept_inputs_are_answered(name: str) -> None:
    kept = sorted((CORPUS / name).glob("*"))
    with TARGETS[name].ready(LONGEST_S) as attempt:
        for path in kept:
            attempt(path.read_bytes())
    assert kept


def test_the_corpus_is_small_and_of_targets() -> None:
    sizes = {path: path.stat().st_size for path in CORPUS.glob("*/*")}
    assert {path.parent.name for path in sizes} == TARGETS.keys()
    assert max(sizes.values()) < LARGEST_BYTES
    assert sum(sizes.values()) < LARGEST_CORPUS_BYTES


def test_a_target_tells_a_defect_from_a_documented_error() -> None:
    with TARGETS["stack"].ready() as attempt:
        assert isinstance(attempt(b"ethernet/none"), Exception)
        assert not isinstance(attempt(b"ethernet/ipv4/tcp"), Exception)
    with TARGETS["workloads"].ready() as attempt, pytest.MonkeyPatch.context() as patched:
        patched.setattr("tomllib.loads", lambda *_, **__: {}["key"])
        with pytest.raises(KeyError):
            attempt(b"")
