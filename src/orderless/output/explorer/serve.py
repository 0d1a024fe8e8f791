"""Serve the explorer on this machine: ``explore(trees)``.

In:  the page, as text, and functions that answer what it asks.
Out: a server on the loopback address only, which knows this one page and these answers.

A question must come from the page itself: it names our address as its origin, is JSON, and carries
a token that only the page knows, so that no other page can ask. Any program of the machine can
connect, so nothing is left open-ended: how long a client may take, how much it may say, and how
many are heard at one time.
"""

from __future__ import annotations

import hmac
import io
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ...errors import a_kind

__all__ = ["address", "page_server", "serve"]

LOOPBACK = "127.0.0.1"
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
PAGE = {"Content-Type": "text/html; charset=utf-8", **HEADERS}  # its policy is in the page
ERROR = {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    **HEADERS,
}
Answers = Mapping[str, Callable[[bytes], tuple[str, bytes]]]
TOKEN = "X-Orderless-Token"
MIN_TOKEN = 32
FAULTS = (
    ArithmeticError,
    ValueError,
    LookupError,
    TypeError,
    RuntimeError,
    MemoryError,
    TimeoutError,
)
TIMEOUT = 10.0  # seconds for a whole request, and for the whole answer
CONNECTIONS = 32
REQUEST = 16 * 1024  # bytes


def serve(
    page: str,
    *,
    port: int = 0,
    ready: Callable[[str], object] | None = None,
    answers: Answers | None = None,
    token: str = "",
) -> None:
    """Serve a page to browsers on this machine, until Ctrl-C.

    ``ready`` is called with the address when the page can be opened. ``answers`` has, by path, the
    functions of what the page sends that give the kind and the bytes of the answer; a
    ``ValueError`` becomes an answer that says what is wrong. A question must carry the token.

    A client has 10 seconds for its request, which has at most 16 KiB, and 32 clients are answered
    at one time; beyond that they are refused.
    """
    with page_server(page, port=port, answers=answers, token=token) as server:
        if ready is not None:
            ready(address(server))
        with suppress(KeyboardInterrupt):
            server.serve_forever()


def page_server(
    page: str,
    *,
    port: int = 0,
    timeout: float = TIMEOUT,
    connections: int = CONNECTIONS,
    answers: Answers | None = None,
    token: str = "",
) -> ThreadingHTTPServer:
    """Give a server of one page that listens on the loopback; it is run and closed by its owner."""
    if not isinstance(page, str):
        raise TypeError(f"page must be HTML text, got {a_kind(page)}")
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port < 65536:
        raise ValueError(f"port must be from 1 to 65535, or 0 for any that is free, got {port!r}")
    if answers and len(token) < MIN_TOKEN:
        raise ValueError(f"answers need a token of at least {MIN_TOKEN} characters")
    server = _Server(page.encode("utf-8", "backslashreplace"), port, timeout, connections)
    server.answers, server.token = answers or {}, token
    return server


def address(server: ThreadingHTTPServer) -> str:
    """Give the address that a browser opens."""
    return f"http://{LOOPBACK}:{server.server_address[1]}/"


class _Server(ThreadingHTTPServer):
    """A thread for each client, up to so many."""

    answers: Answers
    token: str

    def __init__(self, body: bytes, port: int, timeout: float, connections: int) -> None:
        self.body, self.patience = body, timeout
        self._places = threading.BoundedSemaphore(connections)
        super().__init__((LOOPBACK, port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        with suppress(OSError):  # the client does not wait for the answer
            request.settimeout(0)
            request.send(_busy())
        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that leaves in the middle is no news."""


def _busy() -> bytes:
    lines = ["HTTP/1.0 503 Service Unavailable", *(f"{k}: {v}" for k, v in ERROR.items())]
    return "\r\n".join([*lines, "", "503 Service Unavailable\n"]).encode()


class _TooLong(Exception):
    """A request of too many bytes."""


class _Bounded(io.RawIOBase):
    """What a client says: so many bytes at most, and all of them within some seconds."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection, self._left = connection, REQUEST
        self._end = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        if self._left <= 0:
            raise _TooLong
        self._connection.settimeout(seconds)
        n = self._connection.recv_into(memoryview(buffer)[: self._left])
        self._left -= n
        return n


class _Handler(BaseHTTPRequestHandler):
    """Answers one request of one client."""

    server_version = "orderless"
    sys_version = ""
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self.rfile = io.BufferedReader(_Bounded(self.connection, self.server.patience), 1024)

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except _TooLong:
            self.requestline, self.command = "", ""
            self.send_error(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
            self._hear_out()

    def _hear_out(self) -> None:
        """Take a little more: bytes that nobody read would make the system withdraw the answer."""
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            for _ in range(4):
                if not self.connection.recv(REQUEST):
                    break

    def do_GET(self) -> None:
        if not self._for_us():
            self.send_error(HTTPStatus.FORBIDDEN, "only the loopback address is served")
        elif self.path.partition("?")[0] != "/":
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            self._answer(HTTPStatus.OK, None, PAGE, self.server.body)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        answer = self.server.answers.get(self.path)
        if not self.server.answers:
            self.send_error(HTTPStatus.NOT_IMPLEMENTED)
        elif not (self._for_us() and self._from_the_page()):
            self.send_error(HTTPStatus.FORBIDDEN, "only the page itself may ask")
        elif answer is None:
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            self._answer_with(answer)

    def _from_the_page(self) -> bool:
        """Whether the page asks: a page of another origin neither has the token nor may send it."""
        port = self.server.server_address[1]
        ours = {f"http://{name}:{port}" for name in (LOOPBACK, "localhost")}
        named = {name: self.headers.get_all(name, []) for name in ("Origin", "Content-Type", TOKEN)}
        if any(len(values) != 1 for values in named.values()):
            return False
        given = named[TOKEN][0].encode("latin-1", "replace")
        return (
            named["Origin"][0] in ours
            and named["Content-Type"][0] == "application/json"
            and self.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
            and hmac.compare_digest(given, self.server.token.encode())
        )

    def _answer_with(self, answer: Callable[[bytes], tuple[str, bytes]]) -> None:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self.send_error(HTTPStatus.LENGTH_REQUIRED)
            return
        if int(length) > REQUEST:
            raise _TooLong
        body = self.rfile.read(int(length))
        try:
            kind, text = answer(body)
        except FAULTS as fault:
            self.send_error(HTTPStatus.BAD_REQUEST, str(fault)[:1000])
            return
        self._answer(HTTPStatus.OK, None, {**ERROR, "Content-Type": kind}, text)

    def _for_us(self) -> bool:
        """Whether it names us as browsers do: another name for this address is an attack."""
        hosts = self.headers.get_all("Host", [])
        port = self.server.server_address[1]
        ours = {name + end for name in (LOOPBACK, "localhost") for end in ("", f":{port}")}
        return len(hosts) == 1 and hosts[0] in ours

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer with one line of text, under the same headers as the page."""
        status = HTTPStatus(code)
        line = f"{code} {status.phrase}" + (f": {explain or message}" if message else "")
        self._answer(status, status.phrase, ERROR, f"{line}\n".encode("utf-8", "backslashreplace"))

    def _answer(
        self, status: HTTPStatus, phrase: str | None, headers: dict[str, str], body: bytes
    ) -> None:
        self.connection.settimeout(self.server.patience)
        self.close_connection = True
        self.request_version = self.protocol_version  # headers for clients of any version
        self.send_response(status, phrase)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing: what a person does with the page is theirs."""
