"""Fetch payload over fresh TCP connections, and print how long each took.

usage: fetch.py serve ADDRESS PORT
       fetch.py fetch ADDRESS PORT BYTES COUNT

Each connection asks for a number of bytes, which the server sends at once. The client prints the
seconds from its call to connect to the last byte that it read, a line for each connection: one
round trip to connect, one for the request and the first window, and one for each further window.
A program of its own, so that nothing that pytest does can hold it up.
"""

import socket
import sys
import time

REQUEST_BYTES = 16
READ_BYTES = 1 << 20


def serve(address: str, port: str) -> None:
    """Answer one connection after the other until the process is ended."""
    with socket.create_server((address, int(port))) as listener:
        while True:
            connection, _ = listener.accept()
            with connection:
                if request := connection.recv(REQUEST_BYTES, socket.MSG_WAITALL):
                    connection.sendall(bytes(int(request)))


def fetch(address: str, port: str, size_bytes: str, count: str) -> None:
    """Print the seconds that each of several fetches took."""
    for _ in range(int(count)):
        begin_s = time.perf_counter()
        with socket.create_connection((address, int(port))) as connection:
            connection.sendall(size_bytes.zfill(REQUEST_BYTES).encode())
            left_bytes = int(size_bytes)
            while left_bytes and (read := connection.recv(READ_BYTES)):
                left_bytes -= len(read)
        sys.stdout.write(f"{time.perf_counter() - begin_s}\n")


if __name__ == "__main__":
    {"serve": serve, "fetch": fetch}[sys.argv[1]](*sys.argv[2:])
