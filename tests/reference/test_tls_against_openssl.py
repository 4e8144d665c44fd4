"""Lengths of TLS records against those that OpenSSL writes, through memory and over no network."""

import datetime
import ssl
from contextlib import suppress
from pathlib import Path

import pytest

from netmodel.framing import Stack, TlsProtection, tcp_stack, tls

x509 = pytest.importorskip("cryptography.x509")
hashes = pytest.importorskip("cryptography.hazmat.primitives.hashes")
serialization = pytest.importorskip("cryptography.hazmat.primitives.serialization")
rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")

SIZES = [1, 2, 100, 1400, 4096, 16383, 16384, 16385, 32767, 32768, 32769, 40000, 200_000]
SUITES = {
    "TLS 1.3": (None, TlsProtection.TLS_1_3),
    "AES-GCM": ("ECDHE-RSA-AES128-GCM-SHA256", TlsProtection.TLS_1_2_AES_GCM),
    "ChaCha20": ("ECDHE-RSA-CHACHA20-POLY1305", TlsProtection.TLS_1_2_CHACHA20_POLY1305),
}
"""Python cannot choose a suite of version 1.3; every suite that OpenSSL offers has tags of 16."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate that it signs itself."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    start = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(start + datetime.timedelta(days=36500))
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "certificate.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return path


class Connection:
    """The client's side of a connection whose server is in the same process."""

    def __init__(self, certificate: Path, cipher: str | None) -> None:
        at_client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        at_client.check_hostname = False
        at_client.verify_mode = ssl.CERT_NONE
        at_server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        at_server.load_cert_chain(certificate)
        if cipher is None:
            at_client.minimum_version = ssl.TLSVersion.TLSv1_3
        else:
            at_client.maximum_version = ssl.TLSVersion.TLSv1_2
            at_client.set_ciphers(cipher)
            at_server.set_ciphers(cipher)
        self.sent, back = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.client = at_client.wrap_bio(back, self.sent)
        self.server = at_server.wrap_bio(self.sent, back, server_side=True)
        for side in (self.client, self.server) * 3:  # each answers what the other one has said
            with suppress(ssl.SSLWantReadError):
                side.do_handshake()
        assert self.sent.pending == 0
        assert self.client.version() == ("TLSv1.3" if cipher is None else "TLSv1.2")
        assert cipher is None or self.client.cipher()[0] == cipher

    def bytes_on_tcp(self, *writes: int) -> int:
        """What leaves for the server, which reads it all."""
        for size in writes:
            assert self.client.write(bytes(size)) == size
        pending = self.sent.pending
        left = sum(writes)
        while left:
            left -= len(self.server.read(left))
        assert self.sent.pending == 0
        return pending


@pytest.fixture(scope="module", params=SUITES)
def secured(request: pytest.FixtureRequest, certificate: Path) -> tuple[Connection, TlsProtection]:
    cipher, protection = SUITES[request.param]
    return Connection(certificate, cipher), protection


@pytest.mark.parametrize("size", SIZES)
def test_what_is_written_becomes_records(
    secured: tuple[Connection, TlsProtection], size: int
) -> None:
    connection, protection = secured
    stack = Stack((*tcp_stack().layers, tls(protection)))
    assert stack.stream_bytes(size) == connection.bytes_on_tcp(size)


@pytest.mark.parametrize("record", [1, 100, 1400, 4096, 16384])
@pytest.mark.parametrize("size", [1, 4095, 4096, 4097, 16385])
def test_shorter_records_are_shorter_writes(
    secured: tuple[Connection, TlsProtection], record: int, size: int
) -> None:
    """A writer that hands over a number of bytes at a time gets a record for each."""
    connection, protection = secured
    if record == 1:
        size = min(size, 50)
    writes = [record] * (size // record) + ([size % record] if size % record else [])
    stack = Stack((*tcp_stack().layers, tls(protection, record_bytes=record)))
    assert stack.stream_bytes(size) == connection.bytes_on_tcp(*writes)
