"""Who answers for the door's name: the ways of TLS, as curl and OpenSSL see them."""
import datetime
import json
import pathlib
import re
import signal
import ssl
import subprocess
import threading
import time

import pytest
import requests

from conftest import BINARIES
from web import Device, Door, authority, door

NAME = "kith.home.arpa"


def curl(front, path, *options, name=NAME):
    return subprocess.run(
        ["curl", "-sS", "--resolve", f"{name}:{front.port}:127.0.0.1", *options, f"https://{name}:{front.port}{path}"],
        capture_output=True, timeout=30)


@pytest.fixture(scope="module")
def own():
    with door("--own-ca", "--name", NAME) as front:
        yield front


def test_a_device_that_has_installed_the_authority_trusts_the_door(own):
    place = authority(own)
    told = curl(own, "/healthz", "--cacert", place)
    assert told.returncode == 0 and json.loads(told.stdout)["hub"] == "up", told
    refused = curl(own, "/healthz")
    assert refused.returncode == 60, "not trusted before"
    # The address too.
    by_address = subprocess.run(["curl", "-sS", "--cacert", place, f"https://127.0.0.1:{own.port}/healthz"], capture_output=True, timeout=30)
    assert by_address.returncode == 0, by_address


def test_http_2_is_spoken(own):
    told = curl(own, "/healthz", "--cacert", authority(own), "--http2", "-o", "/dev/null", "-w", "%{http_version}")
    assert told.stdout == b"2", told


def test_old_versions_of_tls_are_refused(own):
    told = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{own.port}", "-tls1_1"], input=b"", capture_output=True, timeout=30)
    assert told.returncode != 0


def test_a_cookie_is_bound_to_the_host_and_to_encryption(own):
    code = own.hub.reply("Devices/Invite", {"name": "hanako"})["code"]
    answer = requests.post(f"https://localhost:{own.port}/pair", json={"code": code}, verify=authority(own), timeout=30)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("__Host-kith=kith_") and "Secure" in cookie and "HttpOnly" in cookie and "Path=/" in cookie and "Domain" not in cookie


def test_the_page_of_the_authority_shows_what_to_compare(own):
    page = requests.get(f"https://localhost:{own.port}/ca", verify=authority(own), timeout=30)
    shown = subprocess.run(["openssl", "x509", "-in", authority(own), "-noout", "-fingerprint", "-sha256"], capture_output=True, text=True,
                           timeout=30).stdout.split("=")[1].strip()
    assert shown in page.text
    profile = requests.get(f"https://localhost:{own.port}/ca.mobileconfig", verify=authority(own), timeout=30)
    assert profile.headers["Content-Type"] == "application/x-apple-aspen-config" and b"com.apple.security.root" in profile.content


def test_the_same_authority_after_a_restart(own):
    before = authority(own).read_text()
    assert own.end()[0] == 0
    own.start()
    assert authority(own).read_text() == before
    for name in ("authority.pem", "certificate.pem"):
        assert (own.state / name).stat().st_mode & 0o777 == 0o600


def make(folder, name, days=30, until=None):
    """A certificate and its key as openssl makes them: valid for so many days, or until a time and since a month before it."""
    for_name = folder / name
    subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{for_name}.key"], check=True, timeout=30)
    (folder / f"{name}.cnf").write_text(
        "[ca]\ndefault_ca = own\n[own]\nnew_certs_dir = {0}\ndatabase = {0}/{1}.index\nrand_serial = yes\ndefault_md = sha256\n"
        "policy = names\nx509_extensions = leaf\n[names]\ncommonName = supplied\n"
        "[leaf]\nsubjectAltName = DNS:{2},DNS:localhost\nbasicConstraints = CA:TRUE\n".format(folder, name, NAME))
    (folder / f"{name}.index").write_text("")
    now = datetime.datetime.now(datetime.timezone.utc)
    end = until or now + datetime.timedelta(days=days)
    times = [f"{time:%Y%m%d%H%M%SZ}" for time in (min(now, end) - datetime.timedelta(days=30), end)]
    subprocess.run(
        ["openssl", "req", "-new", "-key", f"{for_name}.key", "-subj", f"/CN={NAME}", "-out", f"{for_name}.csr"],
        check=True, capture_output=True, timeout=30)
    subprocess.run(
        ["openssl", "ca", "-batch", "-selfsign", "-notext", "-config", f"{for_name}.cnf", "-keyfile", f"{for_name}.key",
         "-in", f"{for_name}.csr", "-out", f"{for_name}.pem", "-startdate", times[0], "-enddate", times[1]],
        check=True, capture_output=True, timeout=30)
    return for_name


def replace(front, made):
    folder = front.hub.directory
    for ending, target in ((".pem", "cert.pem"), (".key", "key.pem")):
        part = folder / f"{target}.part"
        part.write_bytes(pathlib.Path(f"{made}{ending}").read_bytes())
        part.rename(folder / target)


@pytest.fixture
def filed(tmp_path):
    """A door with certificate files that another program renews."""
    from conftest import Hub

    hub = Hub().start()
    folder = hub.directory
    front = Door(hub, "--cert", str(folder / "cert.pem"), "--key-file", str(folder / "key.pem"), "--name", NAME)
    replace(front, make(tmp_path, "first"))
    try:
        yield front.start()
    finally:
        front.end()
        hub.end()


def serial(front):
    return ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", front.port)))


def test_a_certificate_is_replaced_under_load_without_a_failed_request(filed, tmp_path):
    ann = filed.device("ann")
    first = serial(filed)
    failed, done, stop = [], [], threading.Event()

    def load():
        while not stop.is_set():
            try:
                # A connection of its own for each request.
                answer = requests.post(f"{filed.url}/kith.v1.System/Ping", data="{}", verify=False, timeout=30, headers={
                    "Content-Type": "application/json", "Authorization": f"Bearer {ann.token}"})
                (done if answer.status_code in (200, 429) else failed).append(answer.status_code)
            except requests.RequestException as error:
                failed.append(error)

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        time.sleep(0.5)
        replace(filed, make(tmp_path, "second"))
        filed.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 20
        while serial(filed) == first:
            assert time.monotonic() < end, filed.log.read_text()[-2000:]
            time.sleep(0.05)
        time.sleep(0.5)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not failed and len(done) > 5, failed[:3]


def test_a_certificate_that_cannot_be_used_leaves_the_earlier_one_and_is_told(filed, tmp_path):
    first = serial(filed)
    (filed.hub.directory / "cert.pem").write_text("no certificate")
    filed.process.send_signal(signal.SIGHUP)
    end = time.monotonic() + 20
    while not (filed.hub.reply("System/Status").get("doors") or [{}])[0].get("fault"):
        assert time.monotonic() < end, filed.log.read_text()[-2000:]
        time.sleep(0.1)
    told = filed.hub.reply("System/Status")["doors"][0]
    assert "cert.pem" in told["fault"] and told["tls"] == "certificate" and told["url"] == f"https://{NAME}:{filed.port}"
    assert serial(filed) == first


def shown(front, text, seconds=90):
    """What `kith status` comes to say of the door."""
    end = time.monotonic() + seconds
    while True:
        told = subprocess.run(
            [BINARIES / "kith", "--runtime-dir", front.hub.runtime, "status"], capture_output=True, text=True, timeout=30).stdout
        if text in told:
            return told
        assert time.monotonic() < end, (told, front.log.read_text()[-2000:])
        time.sleep(0.1)


@pytest.mark.timeout(400)
def test_status_says_when_a_certificate_is_about_to_expire_and_when_it_has_expired(filed, tmp_path):
    """With certificates of openssl; one whose end comes while kith-web serves it."""
    replace(filed, make(tmp_path, "month", days=30))
    filed.process.send_signal(signal.SIGHUP)
    shown(filed, f"Web       {filed.url.replace('localhost', NAME)} (certificate valid for 29 days)")
    replace(filed, make(tmp_path, "week", days=7))
    filed.process.send_signal(signal.SIGHUP)
    assert "expired" not in shown(filed, "certificate valid for 6 days")
    # It is valid for 50 seconds.
    end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=50)
    replace(filed, make(tmp_path, "brief", until=end))
    filed.process.send_signal(signal.SIGHUP)
    shown(filed, "certificate valid for less than a minute")
    told = shown(filed, "its certificate expired")
    assert "renew it" in told
    # The next look of kith-web says in addition what devices see of it. It serves on, for those that are asked again.
    assert "browsers refuse it" in shown(filed, "The certificate has expired")
    assert requests.get(f"{filed.url}/healthz", verify=False, timeout=30).json()["hub"] == "up"
    with pytest.raises(requests.exceptions.SSLError, match="expired"):
        requests.get(f"{filed.url}/healthz", verify=str(tmp_path / "brief.pem"), timeout=30)
    replace(filed, make(tmp_path, "renewed", days=20))
    assert "expired" not in shown(filed, "certificate valid for 19 days")
    assert requests.get(f"{filed.url}/healthz", verify=str(tmp_path / "renewed.pem"), timeout=30).status_code == 200


def test_kith_web_starts_with_an_expired_certificate_and_says_so(filed, tmp_path):
    """A machine that was off while its certificate ended: the renewal needs a kith-web that runs."""
    assert filed.end()[0] == 0
    past = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=2)
    replace(filed, make(tmp_path, "old", until=past))
    filed.start()
    told = shown(filed, "its certificate expired 2 days ago: renew it")
    assert "The certificate has expired: browsers refuse it." in told


def test_wrong_options_are_told_by_name(tmp_path):
    from conftest import BINARIES

    def run(*options):
        told = subprocess.run([BINARIES / "kith-web", "--state-dir", tmp_path, *options], capture_output=True, text=True, timeout=30)
        assert told.returncode in (1, 2) and not told.stdout, told
        return told.stderr

    assert "--own-ca" in run("--listen", "127.0.0.1:0")
    assert "one of" in run("--listen", "127.0.0.1:0", "--own-ca", "--insecure-http")
    assert "ADDRESS:PORT" in run("--listen", "nowhere", "--insecure-http")
    assert "nothing.pem" in run("--listen", "127.0.0.1:0", "--cert", "/nothing.pem", "--key-file", "/nothing.key")
    assert "--key" in run("--listen", "127.0.0.1:0", "--insecure-http", "--hub", "tcp://127.0.0.1:7750")


def test_a_proxy_is_believed_and_nobody_else():
    with door("--behind-proxy", "--name", NAME) as front:
        ann = front.device("ann")
        code = front.hub.reply("Devices/Invite", {"name": "hanako"})["code"]
        answer = requests.post(f"{front.url}/pair", json={"code": code}, timeout=30, headers={
            "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https", "X-Forwarded-Host": NAME})
        assert answer.status_code == 200 and answer.headers["Set-Cookie"].startswith("__Host-kith=")
        assert ann.reply("System/Ping") == {}
    with door("--insecure-http") as front:
        code = front.hub.reply("Devices/Invite", {"name": "hanako"})["code"]
        answer = requests.post(f"{front.url}/pair", json={"code": code}, timeout=30, headers={"X-Forwarded-Proto": "https"})
        assert re.match("kith-plain=", answer.headers["Set-Cookie"])
        assert Device(front, None).ask("GET", "/ca.crt").status_code == 404
