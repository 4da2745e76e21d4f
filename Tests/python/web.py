"""A real kith-web in front of a real kithd, and devices that use it."""
import contextlib
import hashlib
import json
import os
import pathlib
import secrets
import signal
import socket
import ssl
import subprocess
import time

import requests

from conftest import BINARIES, Hub


def new_token():
    return "kith_" + secrets.token_urlsafe(32)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Door:
    """A kith-web on directories of its own. Plain HTTP on the loopback unless the options say otherwise."""

    def __init__(self, hub, *options, name="localhost"):
        self.hub, self.options, self.name = hub, options or ("--insecure-http",), name
        self.state = hub.directory / "web"
        self.log = hub.directory / "web.log"
        self.port = free_port()
        self.environment = {}
        self.process = None

    @property
    def scheme(self):
        return "https" if {"--own-ca", "--cert"} & set(self.options) else "http"

    @property
    def url(self):
        return f"{self.scheme}://{self.name}:{self.port}"

    def start(self, waits_for_hub=True):
        assert (BINARIES / "kith-web").exists(), f"{BINARIES}/kith-web is missing: run scripts/test-web.sh"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [BINARIES / "kith-web", "--listen", f"127.0.0.1:{self.port}", "--runtime-dir", self.hub.runtime,
                 "--state-dir", self.state, *self.options],
                stdout=log, stderr=log, env={**os.environ, **self.environment})
        end = time.monotonic() + 30
        while True:
            assert self.process.poll() is None, f"kith-web ended: {self.log.read_text()[-2000:]}"
            with contextlib.suppress(requests.RequestException):
                answer = requests.get(f"{self.scheme}://localhost:{self.port}/healthz", timeout=5, verify=False)
                if answer.status_code == 200 or not waits_for_hub:
                    return self
            assert time.monotonic() < end, f"kith-web does not answer: {self.log.read_text()[-2000:]}"
            time.sleep(0.02)

    def end(self, with_signal=signal.SIGTERM):
        """Ends the process; returns its exit status and the seconds that it took."""
        if self.process is None:
            return None
        process, self.process = self.process, None
        began = time.monotonic()
        if process.poll() is None:
            process.send_signal(with_signal)
        try:
            return process.wait(30), time.monotonic() - began
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise

    def device(self, name, role="recorder"):
        """A device with a token that the hub knows."""
        token = new_token()
        self.hub.reply("Devices/Add", {"name": name, "role": role, "tokenSha256": hashlib.sha256(token.encode()).hexdigest()})
        return Device(self, token)


class Device:
    """A program or a phone with a token."""

    def __init__(self, door, token):
        self.door, self.token = door, token
        self.session = requests.Session()
        if token:
            self.session.headers["Authorization"] = f"Bearer {token}"

    def ask(self, way, path, **options):
        return self.session.request(way, self.door.url + path, **{"timeout": 30, **options})

    def post(self, method, message=None, key=None, **options):
        headers = {"Content-Type": "application/json", **options.pop("headers", {})}
        if key:
            headers["Idempotency-Key"] = key
        return self.ask("POST", f"/kith.v1.{method}", data=json.dumps(message or {}), headers=headers, **options)

    def reply(self, method, message=None, **options):
        answer = self.post(method, message, **options)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return answer.json()

    @contextlib.contextmanager
    def events(self, streams="", since=None, timeout=30):
        headers = {"Last-Event-ID": since} if since else {}
        with self.ask("GET", f"/events?streams={streams}" if streams else "/events", stream=True, headers=headers,
                      timeout=timeout) as answer:
            assert answer.status_code == 200, answer.text
            yield Events(answer)


class Events:
    """Reads a stream of server-sent events as the standard says: WHATWG HTML, 9.2."""

    def __init__(self, answer):
        self.lines = answer.iter_lines(chunk_size=1, decode_unicode=True)
        self.id = ""

    def __iter__(self):
        return self

    def __next__(self):
        kind, data = "message", []
        for line in self.lines:
            if not line:
                if data:
                    return kind, json.loads("\n".join(data))
                kind = "message"
            elif line.startswith("id:"):
                self.id = line[3:].strip()
            elif line.startswith("event:"):
                kind = line[6:].strip()
            elif line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
        raise StopIteration

    def sequences(self, stream, count):
        """The numbers of the next events of a stream."""
        found = []
        for kind, data in self:
            if kind == "message" and data["header"]["stream"] == stream:
                found.append(int(data["header"]["seq"]))
                if len(found) == count:
                    return found
        return found


def authority(front):
    """The authority's certificate, as a person gets it."""
    der = requests.get(f"https://localhost:{front.port}/ca.crt", verify=False, timeout=30)
    assert der.headers["Content-Type"] == "application/x-x509-ca-cert"
    place = front.hub.directory / "ca.pem"
    place.write_text(ssl.DER_cert_to_PEM_cert(der.content))
    return place


@contextlib.contextmanager
def door(*options, hub=None):
    """A door and its hub."""
    own = hub or Hub().start()
    front = Door(own, *options)
    try:
        yield front.start()
    finally:
        front.end()
        if hub is None:
            own.end()
