"""Serve a page on this machine: ``orderless app --serve``.

In:  the page, as ``write_page`` gave it.
Out: a server on the loopback address only, which knows this one page.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ..errors import a_kind

__all__ = ["address", "page_server", "serve_page"]

LOOPBACK = "127.0.0.1"
HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def serve_page(page: str, *, port: int = 0, ready: Callable[[str], object] | None = None) -> None:
    """Serve a page to browsers on this machine, until Ctrl-C.

    Parameters
    ----------
    page : str
        The HTML, as ``write_page`` gives it.
    port : int
        0 takes any that is free.
    ready : function of the address, optional
        Called when the page can be opened, for instance with ``webbrowser.open``.

    Examples
    --------
    ``serve_page(write_page(tree), ready=print)`` prints the address and serves. Another page on the
    machine cannot read it: requests that name any host but the loopback are refused.
    """
    with page_server(page, port=port) as server:
        if ready is not None:
            ready(address(server))
        with suppress(KeyboardInterrupt):
            server.serve_forever()


def page_server(page: str, *, port: int = 0) -> ThreadingHTTPServer:
    """Give a server of one page that listens on the loopback; it is run and closed by its owner."""
    if not isinstance(page, str):
        raise TypeError(f"a page is HTML text as write_page gives it, got {a_kind(page)}")
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port < 65536:
        raise ValueError(f"port={port!r}: legal are 1 to 65535, and 0 for any that is free")
    body = page.encode("utf-8")

    class Handler(BaseHTTPRequestHandler):
        server_version = "orderless"
        sys_version = ""

        def do_GET(self) -> None:
            self._answer(body)

        def do_HEAD(self) -> None:
            self._answer(b"")

        def _answer(self, content: bytes) -> None:
            host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
            if host not in (LOOPBACK, "localhost"):  # another name for us: an attack
                self.send_error(403, "only the loopback address is served")
                return
            if self.path.partition("?")[0] != "/":
                self.send_error(404)
                return
            self.send_response(200)
            for name, value in HEADERS.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing: what a person does with the page is theirs."""

    return ThreadingHTTPServer((LOOPBACK, port), Handler)


def address(server: ThreadingHTTPServer) -> str:
    """Give the address that a browser opens."""
    return f"http://{LOOPBACK}:{server.server_address[1]}/"
