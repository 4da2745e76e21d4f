"""A real Chromium on the pages of kith-web: Debian's, driven by Playwright.

    with door("--insecure-http") as front, chromium() as browser:
        phone = browser.phone(locale="ja-JP", color_scheme="dark")
        phone.join(front)
        phone.open(front.url + "/")
        assert phone.read("document.documentElement.lang") == "ja"
        phone.until("document.querySelector('h1') !== null")
        phone.offline()
        assert not phone.faults

The pages forbid `eval`, so Playwright's `wait_for_function` fails on them. `read` and `until` go through the debugger instead, as
locators and `expect` do.
"""
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import pytest
import urllib3
from playwright.sync_api import Error, sync_playwright

PROGRAM = "/usr/bin/chromium"
# Set before the page's own scripts run, and seen by the page alone.
WATCH = """
window.refusedByPolicy = [];
document.addEventListener('securitypolicyviolation', (event) => {
  window.refusedByPolicy.push(`${event.violatedDirective} ${event.blockedURI || event.sample}`);
});
"""


class Phone:
    """One device: a page on the screen of a phone, with cookies and storage that no other has.

    `faults` has what went wrong on its pages: errors of scripts, errors on the console, and what the policy of the page forbade.
    """

    addresses = 0

    def __init__(self, context):
        self.context, self.faults = context, []
        context.add_init_script(WATCH)
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("console", self.note)
        if slowdown := os.environ.get("KITH_PHONE_SLOWDOWN"):
            context.new_cdp_session(self.page).send("Emulation.setCPUThrottlingRate", {"rate": float(slowdown)})

    def note(self, line):
        """Keeps an error of the console. Chromium looks for a picture of the site by itself, and no page asked for that."""
        if line.type == "error" and not line.location["url"].endswith("/favicon.ico"):
            self.faults.append(f"{line.text} {line.location['url']}")

    def open(self, url):
        """Opens an address; gives Playwright's answer."""
        return self.page.goto(url, wait_until="load")

    def open_past_warning(self, url):
        """Opens an address whose certificate is not trusted, and goes on past the warning as a person does."""
        with contextlib.suppress(Error):
            self.page.goto(url)
        self.page.click("#details-button")
        self.page.click("#proceed-link")
        self.page.wait_for_url(url)
        self.faults.clear()

    def read(self, expression, argument=None):
        """The value of an expression of JavaScript in the page; a promise is waited for."""
        return self.page.evaluate(expression, argument)

    def glance(self, expression):
        """The value of an expression; None while the page goes to another one, or comes."""
        try:
            return self.read(f"document.readyState === 'loading' ? null : ({expression})")
        except Error as error:
            if "context was destroyed" not in str(error):
                raise
            return None

    def until(self, expression, seconds=30):
        """Waits until an expression is true; gives its value."""
        end = time.monotonic() + seconds
        while not (value := self.glance(expression)):
            assert time.monotonic() < end, f"never true: {expression}; faults: {self.faults}"
            self.page.wait_for_timeout(50)
        return value

    def script(self, name):
        """The address of a script of the page that is open."""
        return self.read("(name) => new URL(name, document.querySelector('script[type=module]').src).href", name)

    def offline(self, on=True):
        """Cuts the device from the network, or gives it back."""
        self.context.set_offline(on)

    def join(self, front, name="hanako", role="recorder"):
        """Makes the device one of the hub's: its cookie is that of a code that an admin made."""
        code = front.hub.reply("Devices/Invite", {"name": name, "role": role})["code"]
        # Each device has an address of its own, as at home: a door lets only a few join from one address in a minute.
        Phone.addresses += 1
        network = urllib3.PoolManager(source_address=(f"127.0.1.{Phone.addresses}", 0), cert_reqs="CERT_NONE")
        answer = network.request("POST", f"{front.scheme}://localhost:{front.port}/pair", json={"code": code}, timeout=30)
        assert answer.status == 200, answer.data
        cookie, _, _ = answer.headers["Set-Cookie"].partition(";")
        key, _, value = cookie.partition("=")
        self.context.add_cookies([{"name": key, "value": value, "url": front.url, "httpOnly": True, "sameSite": "Lax",
                                   "expires": time.time() + 86_400, "secure": front.scheme == "https"}])

    def refused(self):
        """What the policy of the page that is open forbade."""
        return self.read("window.refusedByPolicy")

    def authenticator(self):
        """Gives the device a fingerprint reader that says yes, for passkeys."""
        debugger = self.context.new_cdp_session(self.page)
        debugger.send("WebAuthn.enable")
        debugger.send("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
            "isUserVerified": True, "automaticPresenceSimulation": True}})

    def close(self):
        self.context.close()


class Driver:
    """Playwright, of which a process may have one at a time, however many browsers it drives."""

    playwright, users = None, 0


@contextlib.contextmanager
def driver():
    """Playwright: started for the first browser, and ended with the last one, as nothing else can use asyncio meanwhile."""
    if Driver.users == 0:
        Driver.playwright = sync_playwright().start()
    Driver.users += 1
    try:
        yield Driver.playwright
    finally:
        Driver.users -= 1
        if Driver.users == 0:
            Driver.playwright.stop()


class Browser:
    """A running Chromium. Each phone is a device of its own."""

    def __init__(self, started):
        self.started = started

    def phone(self, *, width=390, height=844, microphone=True, **options):
        """A device. OPTIONS are those of Playwright's contexts: locale, timezone_id, color_scheme, reduced_motion …"""
        context = self.started.new_context(
            viewport={"width": width, "height": height}, has_touch=True, is_mobile=True,
            permissions=["microphone"] if microphone else [], **{"locale": "en-GB", "timezone_id": "Europe/London", **options})
        context.set_default_timeout(30_000)
        return Phone(context)


@contextlib.contextmanager
def chromium(*, authority=None, names=(), sound=None):
    """A Chromium on a home of its own.

    AUTHORITY is the PEM file of an authority that is installed in it, NAMES are hosts that lead to this machine, and SOUND is a WAV
    file that its microphone hears again and again; without one it hears beeps.
    """
    if not pathlib.Path(PROGRAM).exists():
        pytest.skip("chromium is missing: run scripts/test-web.sh")
    home = pathlib.Path(tempfile.mkdtemp(prefix="kith-chromium-"))
    arguments = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"]
    if names:
        arguments.append("--host-resolver-rules=" + ",".join(f"MAP {name} 127.0.0.1" for name in names))
    if sound:
        arguments.append(f"--use-file-for-fake-audio-capture={pathlib.Path(sound).resolve()}")
    if authority:
        store = home / ".pki" / "nssdb"
        store.mkdir(parents=True)
        for command in (["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "kith", "-i", authority]):
            subprocess.run(["certutil", "-d", f"sql:{store}", *command], check=True, capture_output=True, timeout=60)
    try:
        with driver() as playwright:
            # Root has no sandbox. Playwright itself keeps Chromium out of /dev/shm, which is small in containers.
            started = playwright.chromium.launch(
                executable_path=PROGRAM, headless=True, chromium_sandbox=False, args=arguments, timeout=60_000,
                env={**os.environ, "HOME": str(home)})
            try:
                yield Browser(started)
            finally:
                started.close()
    finally:
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="module")
def browser():
    """A Chromium for the tests of a file, which imports this fixture."""
    with chromium() as started:
        yield started
