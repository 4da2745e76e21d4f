"""Where a password must never be, and whom a hub does not tell it to."""
import base64
import hashlib
import pathlib
import re
import shutil
import stat
import subprocess

import pytest

from between import Reply, between
from certificates import make_certificate
from servers import PASSWORD, RADICALE, XANDIKOS, Reader, card, server
from trials import STREAMS, daemon, dense, needs_root, seeing

OWN_PASSWORD = "Wq7-zebra-%-umlaut-ä-93"


@pytest.fixture
def hub():
    with daemon() as hub:
        yield hub
        assert hub.end() == 0


def spellings(password):
    """How a password could stand somewhere: as it is, escaped, and as the wire carries it."""
    as_sent = base64.b64encode(f"alice:{password}".encode())
    return [password.encode(), password.encode("unicode_escape"), base64.b64encode(password.encode()), as_sent]


def test_password_is_in_the_secrets_directory_alone(hub):
    with server(RADICALE) as dav:
        dav.fill(3)
        (dav.directory / "users").write_text(f"alice:{OWN_PASSWORD}\n")
        home = Reader(hub, dav, password=OWN_PASSWORD)
        home.completed(added=3)
        (dav.directory / "users").write_text("alice:other\n")
        home.failed("NEEDS_CREDENTIALS", 3)
        hub.reply("Contacts/SetCredentials", {"name": "home", "password": OWN_PASSWORD})
        (dav.directory / "users").write_text(f"alice:{OWN_PASSWORD}\n")
        home.completed(live=3)
        hub.reply("Contacts/Discover", {"account": {"url": dav.url, "username": "alice", "password": OWN_PASSWORD}})

        looked_at = {path: path.read_bytes() for path in hub.directory.rglob("*") if path.is_file()}
        proc = pathlib.Path(f"/proc/{hub.process.pid}")
        looked_at |= {path: path.read_bytes() for path in (proc / "cmdline", proc / "environ")}
        events = {stream: str(dense(hub, stream)).encode() for stream in STREAMS}
        shown = str([hub.reply(f"Contacts/{method}") for method in ("ListSources", "SyncStatus", "Problems")]).encode()
        holding = [
            path for path, content in [*looked_at.items(), *events.items(), ("replies", shown)]
            if any(spelling in content for spelling in spellings(OWN_PASSWORD))]
        assert len(holding) == 1 and holding[0].parent.name == "secrets", holding
        assert stat.S_IMODE(holding[0].stat().st_mode) == 0o600 and stat.S_IMODE(holding[0].parent.stat().st_mode) == 0o700
        assert any(path.suffix.startswith(".db") or "kith" in path.name for path in looked_at) and hub.log in looked_at

        hub.reply("Contacts/RemoveSource", {"name": "home"})
        assert not holding[0].exists(), "the password of a removed source stays"
    print(f"password looked for in {len(looked_at)} files, {len(events)} streams, 3 replies: in the secrets directory alone")


def test_server_is_trusted_by_its_authority_alone(hub, tmp_path):
    authority, authority_pin = make_certificate(tmp_path / "authority", "Test authority")
    make_certificate(tmp_path / "other", "Another authority")
    with server(RADICALE, start=False, tls=True) as dav:
        _, pin = make_certificate(dav.directory, "dav", authority=authority)
        dav.start()
        dav.fill(3)
        before = len(dav.requests)
        trusted = str(tmp_path / "authority" / "certificate.pem")
        for number, fields in enumerate([
                {}, {"caFile": str(tmp_path / "other" / "certificate.pem")}, {"caFile": trusted, "pinnedKey": authority_pin}]):
            home = Reader(hub, dav, f"refused-{number}", **fields)
            assert home.failed("UPSTREAM_NOT_TRUSTED", 0)["code"] == "FAILED_PRECONDITION"
        assert len(dav.requests) == before, "a server that is not trusted got a request"
        Reader(hub, dav, "by-authority", caFile=trusted).completed(added=3)
        Reader(hub, dav, "by-key", caFile=trusted, pinnedKey=pin).completed(added=3)
        dav.put("later.vcf", card("later"))
        assert hub.reply("Contacts/TestSource", {"name": "by-key"})["items"] == 4


@needs_root
def test_a_named_authority_stands_in_place_of_those_of_the_system(tmp_path):
    """An authority that the system trusts, also by its directory, counts for nothing where a file is named."""
    authority, _ = make_certificate(tmp_path / "public", "Public authority")
    make_certificate(tmp_path / "own", "Authority of the household")
    system = tmp_path / "system"
    system.mkdir()
    public = tmp_path / "public" / "certificate.pem"
    shutil.copy(public, system / "ca-certificates.crt")
    shutil.copy(public, system / "public.pem")
    subprocess.run(["openssl", "rehash", system], check=True)
    with daemon(under=seeing(system, "/etc/ssl/certs")) as hub, server(RADICALE, start=False, tls=True) as dav:
        make_certificate(dav.directory, "dav", authority=authority)
        dav.start()
        dav.fill(3)
        Reader(hub, dav, "by-system").completed(added=3)
        before = len(dav.requests)
        home = Reader(hub, dav, "by-file", caFile=str(tmp_path / "own" / "certificate.pem"))
        home.failed("UPSTREAM_NOT_TRUSTED", 0)
        assert len(dav.requests) == before
        assert hub.end() == 0


def test_certificate_of_another_name_is_refused(hub):
    """Xandikos makes itself a certificate for a host that is called 127.0.0.1, which the address 127.0.0.1 is not."""
    with server(XANDIKOS, tls=True) as dav:
        (certificate,) = [path for path in dav.directory.rglob("*") if path.is_file() and b"BEGIN CERTIFICATE" in path.read_bytes()]
        for name, fields in {"unknown": {}, "misnamed": {"caFile": str(certificate)}}.items():
            home = Reader(hub, dav, name, **fields)
            assert home.failed("UPSTREAM_NOT_TRUSTED", 0)["message"]
        assert not dav.requests and PASSWORD not in dav.log.read_text(errors="replace")


def test_unencrypted_to_another_machine_only_where_it_is_allowed(hub):
    with server(RADICALE) as dav:
        dav.fill(3)
        # Nobody can tell by this name that it is the machine itself.
        url = f"http://0.0.0.0:{dav.port}/"
        before = len(dav.requests)
        error = Reader(hub, dav, url=url).failed("UPSTREAM_NOT_TRUSTED", 0)
        assert "--allow-plain-http" in error["message"], error
        assert len(dav.requests) == before, "something was sent"
        Reader(hub, dav, "allowed", url=url, allowPlainHttp=True).completed(added=3)


def md5(*parts):
    return hashlib.md5(":".join(parts).encode()).hexdigest()


def test_password_goes_as_a_digest_where_a_server_takes_nothing_else(hub):
    """As Baikal is set up: RFC 7616 with MD5 and `auth`. sabre/dav looks at the body of a REPORT before it asks for a login. The
    server behind it is asked in the open."""
    refused, proven, nonces = [], [], ["n0nce"]

    def guard(request):
        if request.method == "REPORT" and not request.body:
            return Reply(500, b"the body is no XML")
        said = request.headers.get("Authorization", "")
        fields = dict(re.findall(r'(\w+)="?([^",]*)"?', said))
        stale = ""
        if said.startswith("Digest"):
            secret = md5("alice", "Baikal", PASSWORD)
            named = [fields[name] for name in ("nonce", "nc", "cnonce", "qop")]
            if fields["response"] == md5(secret, *named, md5(request.method, request.path)):
                if fields["nonce"] == nonces[-1]:
                    proven.append(fields["nc"])
                    proof = base64.b64encode(f"alice:{PASSWORD}".encode()).decode()
                    return wire.ask(request._replace(headers={**request.headers, "Authorization": f"Basic {proof}"}))
                stale = ",stale=true"
        refused.append(said.split(" ")[0])
        return Reply(401, b"", {"WWW-Authenticate": f'Digest realm="Baikal",qop="auth",nonce="{nonces[-1]}",opaque="x"{stale}'})

    with server(XANDIKOS) as dav, between(dav) as wire:
        dav.fill(300)
        wire.before = guard
        home = Reader(hub, dav, url=wire.url)
        home.completed(added=300)
        dav.put("new.vcf", card("new"))
        home.completed(added=1, live=301)
        assert refused == ["Basic"], "one refusal for a nonce"
        assert len(set(proven)) == len(proven) >= 8
        assert not [request for request in wire.seen if request.method == "GET"], "cards were read one by one"
        nonces.append("an0ther")
        home.completed(live=301)
        home.completed(live=301)
        assert refused == ["Basic", "Digest"], "a stale nonce is refused once"
        hub.reply("Contacts/SetCredentials", {"name": "home", "password": "other"})
        home.failed("NEEDS_CREDENTIALS", 301)
