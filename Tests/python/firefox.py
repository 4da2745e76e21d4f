"""A real Firefox on the pages of kith-web: Debian's ESR, spoken to by WebDriver BiDi, the protocol that it has itself.

    with firefox() as page:
        page.open(front.url + "/")
        assert page.read("document.documentElement.lang") == "en"

Its microphone is one that Firefox makes up, and hears a tone. Firefox runs no sound at all on a machine without a device that plays it,
so each has a PulseAudio with a device that plays to nobody.
"""
import contextlib
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import pytest
from websockets.sync.client import connect

PROGRAMS = FIREFOX, PULSE = "/usr/bin/firefox-esr", "/usr/bin/pulseaudio"
SETTINGS = {
    "media.navigator.streams.fake": True, "media.navigator.permission.disabled": True, "app.update.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False, "browser.shell.checkDefaultBrowser": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False, "app.normandy.enabled": False,
    "services.settings.server": "http://localhost:1/", "browser.safebrowsing.update.enabled": False,
}


class Page:
    """The one tab of a running Firefox. `faults` has the errors of its scripts and of its console."""

    def __init__(self, socket):
        self.socket, self.numbers, self.faults = socket, itertools.count(1), []
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])
        self.tab = self.ask("browsingContext.getTree")["contexts"][0]["context"]

    def ask(self, method, **parameters):
        """Sends a command; gives its result. Events that come meanwhile are looked at."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv(timeout=60))
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] == "error":
                self.faults.append(answer["params"]["text"])
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return answer["result"]

    def open(self, url):
        self.ask("browsingContext.navigate", context=self.tab, url=url, wait="complete")

    def tap(self, selector):
        """Taps an element. What Firefox asks the person, which is over the page, does not get in the way of it."""
        self.read(f"document.querySelector({json.dumps(selector)}).click(), true")

    def read(self, expression):
        """The value of an expression of JavaScript in the page; a promise is waited for."""
        whole = f"(async () => JSON.stringify(await ({expression})) ?? 'null')()"
        result = self.ask("script.evaluate", expression=whole, awaitPromise=True, target={"context": self.tab}, userActivation=True)
        assert result["type"] == "success", result
        return json.loads(result["result"]["value"])

    def until(self, expression, seconds=30):
        """Waits until an expression is true; gives its value."""
        end = time.monotonic() + seconds
        while True:
            # A page that is just being left has no answer.
            with contextlib.suppress(AssertionError):
                if value := self.read(expression):
                    return value
            if time.monotonic() > end:
                raise AssertionError(f"never true: {expression}; faults: {self.faults}")
            time.sleep(0.05)


def wait_for(look, process, log):
    """Waits until a program that starts has made something; gives it."""
    end = time.monotonic() + 60
    while not (found := look()):
        assert process.poll() is None and time.monotonic() < end, log.read_text()
        time.sleep(0.05)
    return found


@contextlib.contextmanager
def running(command, log, **environment):
    """A program, until the end of the block."""
    with open(log, "wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env={**os.environ, **environment})
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def firefox():
    """A Firefox on a profile of its own."""
    for program in PROGRAMS:
        if not pathlib.Path(program).exists():
            pytest.skip(f"{program} is missing: run scripts/test-web.sh")
    profile = pathlib.Path(tempfile.mkdtemp(prefix="kith-firefox-"))
    (profile / "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in SETTINGS.items()))
    socket, log, home = profile / "sound", profile / "log", {"HOME": str(profile), "XDG_RUNTIME_DIR": str(profile)}
    try:
        with running([PULSE, "-n", "--daemonize=no", "--exit-idle-time=-1", "--disable-shm=true", "-L", "module-null-sink",
                      "-L", f"module-native-protocol-unix socket={socket} auth-anonymous=1"], profile / "pulse.log", **home) as player:
            wait_for(socket.exists, player, profile / "pulse.log")
            with running([FIREFOX, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"], log,
                         HOME=str(profile), PULSE_SERVER=f"unix:{socket}", MOZ_CRASHREPORTER_DISABLE="1") as process:
                address = wait_for(lambda: re.search(r"WebDriver BiDi listening on (ws://\S+)", log.read_text()), process, log).group(1)
                with connect(f"{address}/session", max_size=None) as channel:
                    yield Page(channel)
    finally:
        shutil.rmtree(profile, ignore_errors=True)
