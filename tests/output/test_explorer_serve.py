"""The server of one page, and clients that mean no good."""

import contextlib
import socket
import threading
import time
import urllib.error
import urllib.request

import pytest

from orderless.output.explorer import serve


class Served:
    """A server of its own for raw sockets, with limits that a test chooses."""

    def __init__(self, **limits):
        self.server = serve.page_server("a page", **limits)
        self.port = self.server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def say(self, request):
        with self.connect() as client:
            client.sendall(request)
            return everything(client)


def everything(client):
    said = b""
    try:
        while part := client.recv(65536):
            said += part
    except ConnectionError:
        pass
    return said


def get(port, host=None):
    return f"GET / HTTP/1.1\r\nHost: {host or f'127.0.0.1:{port}'}\r\n\r\n".encode()


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        ("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
        ("GET / HTTP/1.1\r\nHost: localhost:evil\r\n\r\n", 403),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 403),
        ("GET / HTTP/1.1\r\n\r\n", 403),
        ("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", 501),
        ("GET\r\n\r\n", 400),
        ("<script> / HTTP/1.1\r\nHost: localhost\r\n\r\n", 501),
        ("GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nA: " + "b" * 20_000 + "\r\n\r\n", 431),
        ("GET /" + "b" * 20_000 + " HTTP/1.1\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\n" + "A: b\r\n" * 101 + "\r\n", 431),
    ],
    ids=lambda value: str(value)[:30],
)
def test_errors_have_the_same_headers(request_text, status):
    with Served() as served:
        answer = served.say(request_text.encode())
        assert served.say(get(served.port)).endswith(b"a page")  # it still serves
    head, _, body = answer.decode().partition("\r\n\r\n")
    first, *lines = head.split("\r\n")
    assert first.split()[1] == str(status)
    headers = dict(line.split(": ", 1) for line in lines)
    assert serve.ERROR.items() <= headers.items()
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    assert body.startswith(f"{status} ")


def test_a_client_that_says_nothing_is_left():
    with Served(timeout=0.05) as served, served.connect() as client:
        assert everything(client) == b""


def test_a_client_that_drips_is_left():
    """A byte now and then, each in time: the request as a whole has to be."""
    with Served(timeout=0.2) as served, served.connect() as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nA: ")
        sent = 0
        with contextlib.suppress(ConnectionError):
            while sent < serve.REQUEST // 2:
                client.sendall(b"x")
                sent += 1
                time.sleep(0.02)
        assert sent < serve.REQUEST // 2
        assert b"a page" not in everything(client)


def test_a_client_that_does_not_read_is_left():
    page = "x" * 50_000_000  # more than the buffers of a socket hold
    server = serve.page_server(page, timeout=0.2, connections=1)
    served = Served.__new__(Served)
    served.server, served.port = server, server.server_address[1]
    with served, served.connect() as client:
        client.sendall(get(served.port))
        while served.say(get(served.port, "evil.example")).split()[1] == b"503":
            pass  # the one place is taken, until the server has had enough
        assert len(everything(client)) < len(page)


def test_so_many_clients_at_one_time():
    with Served(timeout=60, connections=2) as served:
        idle = [served.connect() for _ in range(2)]
        for client in idle:
            client.sendall(b"GET")
        while not (answer := served.say(get(served.port))).startswith(b"HTTP/1.0 503"):
            pass  # the two are not there yet
        for name, value in serve.ERROR.items():
            assert f"{name}: {value}\r\n".encode() in answer
        for client in idle:
            client.close()
        while not served.say(get(served.port)).endswith(b"a page"):
            pass


def test_only_the_loopback_is_listened_to():
    with Served() as served:
        assert served.server.server_address[0] == "127.0.0.1"


# -- what is served --------------------------------------------------------------------------------


@pytest.fixture
def served():
    page = "a page"
    with serve.page_server(page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield page, server.server_address[1]
        server.shutdown()
        thread.join()


def ask(port, path="/", host=None, method="GET"):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    if host:
        request.add_header("Host", host)
    return urllib.request.urlopen(request, timeout=120)


def test_serves_the_page_and_nothing_else(served):
    page, port = served
    with ask(port) as answer:
        assert answer.read().decode() == page
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    with ask(port, "/?a=b", f"localhost:{port}") as answer:
        assert answer.status == 200
    with ask(port, method="HEAD") as answer:
        assert (answer.status, answer.read()) == (200, b"")
    for path, host, status in (
        ("/../etc/passwd", None, 404),
        ("/favicon.ico", None, 404),
        ("/", "evil.example", 403),
        ("/", "127.0.0.1.evil.example:80", 403),
    ):
        with pytest.raises(urllib.error.HTTPError) as fault:
            ask(port, path, host)
        fault.value.close()
        assert fault.value.code == status
    with pytest.raises(urllib.error.HTTPError) as fault:
        ask(port, method="POST")
    fault.value.close()
    assert fault.value.code == 501


def test_serves_until_it_is_interrupted(monkeypatch):
    seen = []

    class Server(serve._Server):
        def service_actions(self):
            if seen:
                raise KeyboardInterrupt

    def ready(address):
        def open_page():
            with ask(int(address.rstrip("/").rpartition(":")[2])) as answer:
                seen.append((address, answer.read()))

        threading.Thread(target=open_page).start()

    monkeypatch.setattr(serve, "_Server", Server)
    serve.serve("a page", ready=ready)
    ((address, said),) = seen
    assert address.startswith("http://127.0.0.1:")
    assert said == b"a page"


@pytest.mark.parametrize(
    ("page", "port", "fault", "said"),
    [
        (
            b"page",
            0,
            TypeError,
            "page must be HTML text, got a bytes",
        ),
        ("page", -1, ValueError, "port must be from 1 to 65535, or 0 .* got -1"),
        ("page", 70000, ValueError, "got 70000"),
        ("page", "80", ValueError, "got '80'"),
    ],
)
def test_what_cannot_be_served(page, port, fault, said):
    with pytest.raises(fault, match=said):
        serve.serve(page, port=port)
