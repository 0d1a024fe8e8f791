"""A real browser for tests of pages: it hears every complaint and sees every request."""

import os
from contextlib import contextmanager

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-dev-shm-usage",
]  # fmt: skip
SLOWER = float(os.environ.get("ORDERLESS_SLOWER_BROWSER", "1"))  # 6: as on a busy machine
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@contextmanager
def launched():
    """Start the browser; one that is not there is a failure."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


def open_tab(context):
    """Open a tab, on a processor that is slower if that was asked for: to hunt for races."""
    tab = context.new_page()
    if SLOWER > 1:
        session = context.new_cdp_session(tab)
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    return tab


@contextmanager
def watched(browser):
    """Give a function that opens a file in a tab, and the requests; in the end none complained."""
    contexts, complaints, requests = [], [], []

    def go(path, **options):
        context = browser.new_context(**options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        tab = open_tab(context)
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda fault: complaints.append(str(fault)))
        tab.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        tab.on("request", lambda request: requests.append(request.url))
        tab.goto(path.as_uri())
        return tab

    yield go, requests
    for context in contexts:
        context.close()
    assert complaints == []


def accessible(tab):
    """Check what axe-core can; give what it looked at and found fine."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(tab, options={"runOnly": {"type": "tag", "values": STANDARDS}})
    faults = found.response["violations"]
    assert not faults, "\n".join(
        f"{fault['id']}: {[node['html'][:120] for node in fault['nodes']][:5]}" for fault in faults
    )
    return found.response["passes"]
