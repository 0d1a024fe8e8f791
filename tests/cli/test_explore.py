"""``orderless rashomon --explore``: the explorer, served to this machine."""

import json
import re
import signal
import subprocess
import sys
import urllib.request

import pytest
from commands import fine, mistake

TABLE = ("patients.csv", "--target", "diagnosis", "--ignore", "id")


def test_it_is_served(here):
    command = [sys.executable, "-m", "orderless", "rashomon", *TABLE, "--explore"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            line = running.stdout.readline()
            address = next(word for word in line.split() if word.startswith("http://127.0.0.1:"))
            with urllib.request.urlopen(address, timeout=120) as answer:
                page = answer.read().decode()
            known = json.loads(re.search(r"const SET = (.*);\n", page)[1])
            request = urllib.request.Request(
                f"{address}count", b"{}",
                {"Content-Type": "application/json", "Origin": address.rstrip("/"),
                 "X-Orderless-Token": known["live"]["token"]},
            )  # fmt: skip
            with urllib.request.urlopen(request, timeout=120) as answer:
                trees = int(json.loads(answer.read())["trees"])
        finally:
            running.send_signal(signal.SIGINT)
            code = running.wait(timeout=120)
    assert code == 0
    found = json.loads(fine("rashomon", *TABLE, "-f", "json"))
    assert trees == found["trees"]
    assert len(known["fingerprints"]) == found["functions"]
    assert known["table"]["columns"][-1]["name"] == "diagnosis"
    assert "report" in known["live"]["takes"]
    # The rows are those of training: nothing is called held out.
    assert "held_out_error" not in [one["name"] for one in known["measures"]]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--port", 8123), "--port is for --explore"),
        (("--explore", "--task", "regression"), "--explore is about classes"),
        (("--explore", "--port", 65536), "65535"),
        (("--explore", "--must-use", "age", "--max-leaves", 1), "no tree can|has 2 leaves or more"),
    ],
)
def test_mistakes(here, args, words):
    assert re.search(words, mistake("rashomon", *TABLE, *args))
