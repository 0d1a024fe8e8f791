"""What a page may ask its server, and who may not."""

import pytest

from orderless.errors import InvalidData, TooLarge
from orderless.output.explorer import serve

from .test_explorer_serve import Served

TOKEN = "t" * 40


def answer(body):
    if body == b'"bad"':
        raise InvalidData("this is <bad>")
    if body == b'"many"':
        raise TooLarge("too many", 1)
    return "application/json", b"[" + body + b"]"


@pytest.fixture
def served():
    with Served(answers={"/ask": answer}, token=TOKEN) as server:
        yield server


def post(server, body=b'"a"', path="/ask", **changes):
    headers = {
        "Host": f"127.0.0.1:{server.port}",
        "Origin": f"http://127.0.0.1:{server.port}",
        "Content-Type": "application/json",
        "X-Orderless-Token": TOKEN,
        "Content-Length": str(len(body)),
        **{name.replace("_", "-"): value for name, value in changes.items()},
    }
    lines = [f"POST {path} HTTP/1.1"]
    for name, value in headers.items():
        values = value if isinstance(value, list) else [value]
        lines += [f"{name}: {one}" for one in values if one is not None]
    said = server.say("\r\n".join([*lines, "", ""]).encode() + body)
    head, _, content = said.partition(b"\r\n\r\n")
    return int(head.split()[1]), head.decode().lower(), content


def test_the_page_is_answered(served):
    status, head, content = post(served)
    assert (status, content) == (200, b'["a"]')
    assert "access-control" not in head
    assert "x-content-type-options: nosniff" in head
    assert "cross-origin-resource-policy: same-origin" in head
    assert "default-src 'none'" in head
    origin = f"http://localhost:{served.port}"
    assert post(served, Origin=origin, Host=f"localhost:{served.port}")[0] == 200
    assert post(served, Sec_Fetch_Site="same-origin")[0] == 200


@pytest.mark.parametrize(
    "changes",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": None},
        {"Origin": ["http://evil.example", "http://evil.example"]},
        {"Host": "evil.example"},
        {"Host": None},
        {"Content_Type": "text/plain"},
        {"Content_Type": "application/x-www-form-urlencoded"},
        {"Content_Type": None},
        {"X_Orderless_Token": "u" * 40},
        {"X_Orderless_Token": ""},
        {"X_Orderless_Token": None},
        {"X_Orderless_Token": [TOKEN, TOKEN]},
        {"X_Orderless_Token": "ä" * 40},
        {"Sec_Fetch_Site": "cross-site"},
    ],
)
def test_nobody_else_is(served, changes):
    status, _, content = post(served, **changes)
    assert status == 403
    assert b"only the page itself may ask" in content


def test_faults_are_said_in_words(served):
    status, head, content = post(served, b'"bad"')
    assert (status, content) == (400, b"400 Bad Request: this is <bad>\n")
    assert "content-type: text/plain" in head
    assert post(served, b'"many"')[0] == 400
    assert post(served, path="/other")[0] == 404
    assert post(served, Content_Length=None)[0] == 411
    assert post(served, Content_Length="-1")[0] == 411
    assert post(served, Content_Length="1e3")[0] == 411


def test_a_question_has_an_end(served):
    assert post(served, b"1" * 20_000)[0] == 431
    assert post(served, Content_Length="99999999999")[0] == 431


def test_a_page_without_answers_has_no_door():
    with Served() as server:
        assert post(server)[0] == 501
    with pytest.raises(ValueError, match="answers need a token of at least 32"):
        serve.page_server("a page", answers={"/ask": answer}, token="short")
