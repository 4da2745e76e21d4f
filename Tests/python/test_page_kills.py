"""kithd, kith-web, the browser and the network end between a tap and its answer: every entry is there exactly once.

The moments are spread over the time that an answer takes, ten for each, and chosen by a seed.
"""
import contextlib
import os
import pathlib
import random
import shutil
import signal
import tempfile
import time

import pytest

from browser import PROGRAM, Phone, chromium, driver
from conftest import seed, size
from pages import drained, entries, write
from web import door

MOMENTS = size(10, 40)
# Longer than an answer takes on a machine that is not busy: some moments are after it.
SPREAD = 0.15


@pytest.fixture
def front():
    with door() as front:
        yield front


def memos(front):
    return sorted(record["memo"] for record in entries(front, 500, seconds=0))


def moments(number):
    chosen = random.Random(seed(19) + number)
    return [chosen.uniform(0, SPREAD) for _ in range(MOMENTS)]


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("victim", ["hub", "door", "network"])
def test_whatever_ends_each_entry_comes_once(front, victim):
    with chromium() as browser:
        phone = browser.phone()
        phone.join(front)
        phone.open(front.url + "/")
        for number, moment in enumerate(moments(["hub", "door", "network"].index(victim))):
            write(phone, f"entry {number:02}")
            time.sleep(moment)
            if victim == "network":
                phone.offline()
                phone.until("document.querySelector('[data-test=sync-state]').textContent !== ''")
                phone.offline(False)
            else:
                process = front.hub if victim == "hub" else front
                process.end(signal.SIGKILL)
                process.start()
            phone.read("dispatchEvent(new Event('online'))")
            assert len(entries(front, number + 1, seconds=90)) == number + 1
            drained(phone, 90)
        assert memos(front) == [f"entry {number:02}" for number in range(MOMENTS)]


class KilledBrowser:
    """A Chromium whose profile outlives it."""

    def __init__(self, front):
        self.front, self.home = front, pathlib.Path(tempfile.mkdtemp(prefix="kith-profile-"))
        self.context = None

    def start(self, playwright):
        self.context = playwright.chromium.launch_persistent_context(
            self.home, executable_path=PROGRAM, headless=True, chromium_sandbox=False, timeout=60_000,
            env={**os.environ, "HOME": str(self.home)})
        self.context.set_default_timeout(30_000)
        return Phone(self.context)

    def kill(self):
        """Ends every process of this browser at once, as a battery that is empty does."""
        mark = str(self.home).encode()
        for folder in pathlib.Path("/proc").iterdir():
            if folder.name.isdigit():
                with contextlib.suppress(OSError):
                    if mark in (folder / "cmdline").read_bytes():
                        os.kill(int(folder.name), signal.SIGKILL)
        with contextlib.suppress(Exception):
            self.context.close()

    def remove(self):
        self.kill()
        shutil.rmtree(self.home, ignore_errors=True)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_browser_that_is_killed_loses_no_entry_that_it_took(front):
    browser, taken = KilledBrowser(front), []
    with driver() as playwright:
        try:
            phone = browser.start(playwright)
            phone.join(front)
            # A browser writes cookies after some seconds, or when it is closed; the phone has joined long ago.
            browser.context.close()
            phone = browser.start(playwright)
            for number, moment in enumerate(moments(3)):
                phone.open(front.url + "/")
                write(phone, f"entry {number:02}")
                # The form is empty again once the entry is on the device: from then on it must not be lost. On a slow disk, some are waited for.
                is_empty = "document.querySelector('[data-test=memo]')?.value === ''"
                if number % 3 == 0:
                    phone.until(is_empty)
                else:
                    time.sleep(moment)
                if phone.read(is_empty):
                    taken.append(f"entry {number:02}")
                browser.kill()
                phone = browser.start(playwright)
            phone.open(front.url + "/")
            drained(phone, 90)
        finally:
            browser.remove()
    found = memos(front)
    assert len(found) == len(set(found)) and set(taken) <= set(found), (taken, found)
    assert len(taken) >= MOMENTS // 3
