"""kith-web behind real proxies, with the sites that `kith web setup` prints."""
import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import time

import pytest
import requests

from conftest import BINARIES
from web import Device, door, free_port

NAME = "kith.home.arpa"


def site(kind, port):
    """The site of a proxy as a person copies it."""
    printed = subprocess.run(
        [BINARIES / "kith", "web", "setup", "--yes", "--way", "proxy", "--name", NAME, "--port", str(port)],
        capture_output=True, text=True, check=True).stdout
    part = printed.split(f"\n{kind}:\n")[1].split("\n\n")[0]
    return "\n".join(line[2:] for line in part.splitlines())


def make_certificate(place, name):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
         "-keyout", place / f"{name}.key", "-out", place / f"{name}.pem", "-subj", f"/CN={name}",
         "-addext", f"subjectAltName=DNS:{name}"], check=True, capture_output=True)


@contextlib.contextmanager
def running(command, port, log, **options):
    with open(log, "wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, **options)
    try:
        end = time.monotonic() + 30
        while True:
            assert process.poll() is None, log.read_text()
            with contextlib.suppress(requests.RequestException):
                requests.get(f"https://localhost:{port}/healthz", headers={"Host": NAME}, verify=False, timeout=5)
                break
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(60)


@contextlib.contextmanager
def nginx(place, inner, port, certify=make_certificate):
    certify(place, NAME)
    text = site("nginx", inner).replace("listen 443", f"listen 127.0.0.1:{port}")
    text = re.sub(r"/etc/ssl/(certs|private)/", f"{place}/", text)
    paths = "".join(f"{kind}_temp_path {place}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (place / "nginx.conf").write_text(
        f"pid {place}/nginx.pid; daemon off; events {{}} http {{ access_log off; {paths}\n{text}\n}}\n")
    command = ["nginx", "-e", place / "nginx.error", "-c", place / "nginx.conf"]
    with running(command, port, place / "nginx.log"):
        yield


@contextlib.contextmanager
def caddy(place, inner, port):
    # Only the port and Caddy's own authority differ from what is printed.
    text = site("or Caddy", inner).replace(f"{NAME} {{", f"https://{NAME}:{port}, https://localhost:{port} {{\n    tls internal", 1)
    (place / "Caddyfile").write_text(
        "{\n    admin off\n    grace_period 1s\n    skip_install_trust\n    auto_https disable_redirects\n}\n" + text + "\n")
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", place / "Caddyfile"]
    with running(command, port, place / "caddy.log", env={**os.environ, "HOME": str(place), "XDG_DATA_HOME": str(place)}):
        yield


@pytest.fixture(params=[nginx, caddy], ids=["nginx", "caddy"])
def proxied(request, tmp_path):
    """A door, and the port of the proxy before it."""
    if not shutil.which(request.param.__name__):
        pytest.skip(f"{request.param.__name__} is missing: apt-get install nginx-light caddy")
    with door("--behind-proxy", "--url", f"https://{NAME}", "--name", "localhost") as front:
        port = free_port()
        with request.param(tmp_path, front.port, port):
            yield front, port


class Proxied(Device):
    """A device that comes through the proxy."""

    def __init__(self, door, token, port):
        super().__init__(door, token)
        self.port = port
        self.session.headers["Host"] = NAME

    def ask(self, way, path, **options):
        return self.session.request(way, f"https://localhost:{self.port}{path}", **{"timeout": 30, "verify": False, **options})


def test_commands_and_events_pass_the_proxy_at_once(proxied):
    front, port = proxied
    ann = Proxied(front, front.device("ann").token, port)
    with ann.events("care") as events:
        assert next(events)[0] == "position"
        began = time.monotonic()
        written = ann.reply("Care/Record", {"category": "meal", "memo": "x"})["record"]["id"]
        kind, data = next(events)
        assert kind == "message" and written in str(data["event"])
        # A proxy that keeps them back sends them with the next comment of a quiet stream, which comes each 15 seconds.
        assert time.monotonic() - began < 12, "the proxy keeps events back"


def test_a_large_body_passes_the_proxy(proxied):
    front, port = proxied
    ann = Proxied(front, front.device("ann").token, port)
    content = os.urandom(5 << 20)
    digest = hashlib.sha256(content).hexdigest()
    assert ann.ask("PUT", f"/blobs/{digest}", data=content).status_code in (200, 201)
    assert ann.ask("GET", f"/blobs/{digest}").content == content


def test_a_caller_cannot_make_up_its_address_or_that_it_is_encrypted(proxied):
    front, port = proxied
    code = {"code": "00000000"}
    ours = Proxied(front, None, port)

    def attempt(address):
        return ours.ask("POST", "/pair", json=code, headers={"X-Forwarded-For": address}).status_code

    # Each attempt claims another address. The proxy says where all of them come from, so the bound of one address holds.
    assert 429 in [attempt(f"203.0.113.{number}") for number in range(12)]
