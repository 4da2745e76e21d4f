"""Real CardDAV servers, and what somebody else does to the cards on them."""
import base64
import contextlib
import http.client
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time

from dulwich import porcelain

from trials import contacts, sync

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "servers" / "carddav.py"
RADICALE, XANDIKOS = "radicale", "xandikos"
PASSWORD = "secret"

MAKE_BOOK = """<mkcol xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav"><set><prop><resourcetype><collection/>\
<c:addressbook/></resourcetype><displayname>{}</displayname></prop></set></mkcol>"""


def card(name, *lines, uid=None):
    """A card that every server keeps as it is."""
    lines = [f"UID:{uid or name}", f"FN:{name}", f"N:{name};;;;", *lines]
    return "\r\n".join(["BEGIN:VCARD", "VERSION:3.0", *lines, "END:VCARD", ""]).encode()


class CardDAVServer:
    """Radicale or Xandikos on data of its own. Its port stays the same when it is started again."""

    def __init__(self, program, tls=False):
        self.program, self.tls = program, tls
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="kith-dav-"))
        self.data = self.directory / "data"
        self.log = self.directory / "log"
        self.port = None
        self.process = None
        self.home = "/alice/" if program == RADICALE else "/user/contacts/"

    def start(self, port=None):
        port = port or self.port
        line = [sys.executable, PROGRAM, self.program, self.directory, *(["--tls"] if self.tls else [])]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                line + (["--port", str(port)] if port else []), stdin=subprocess.PIPE, stdout=log, stderr=log)
        end = time.monotonic() + 30
        while not (ready := re.search(rb"^ready (\d+)$", self.log.read_bytes(), re.M)):
            assert self.process.poll() is None and time.monotonic() < end, self.log.read_text()[-2000:]
            time.sleep(0.02)
        self.port = int(ready[1])
        return self

    def stop(self):
        if self.process is not None:
            process, self.process = self.process, None
            process.kill()
            process.stdin.close()
            process.wait()

    @property
    def url(self):
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}"

    @property
    def requests(self):
        """The requests so far, as the server itself wrote them down: "METHOD path"."""
        return re.findall(r"^request (.*)$", self.log.read_text(errors="replace"), re.M)

    # What somebody else does there.

    def connection(self):
        if not self.tls:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        # This client prepares the trial; whom the hub trusts is another matter.
        trusting = ssl._create_unverified_context()
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=trusting)

    def ask(self, method, path, body=b"", content_type="application/xml; charset=utf-8", **headers):
        """(status, headers, body) of a request by another client."""
        connection = self.connection()
        with contextlib.closing(connection):
            proof = base64.b64encode(f"alice:{PASSWORD}".encode()).decode()
            headers = {"Authorization": f"Basic {proof}", "Content-Type": content_type, **headers}
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()

    def done(self, method, path, *arguments, **options):
        status, _, body = self.ask(method, path, *arguments, **options)
        assert 200 <= status < 300, f"{method} {path}: {status} {body[:300]}"

    def make(self, book, name="Friends"):
        self.done("MKCOL", f"{self.home}{book}/", MAKE_BOOK.format(name).encode())

    def put(self, name, content, book="friends"):
        self.done("PUT", f"{self.home}{book}/{name}", content, "text/vcard; charset=utf-8")

    def delete(self, name, book="friends"):
        self.done("DELETE", f"{self.home}{book}/{name}")

    def fill(self, count, book="friends"):
        """Makes a book of plain cards; returns them by their names."""
        cards = {f"card-{number:04}.vcf": card(f"card-{number:04}", uid=f"{book}-{number}") for number in range(count)}
        return self.seed(cards, book)

    def seed(self, cards, book="friends"):
        """Makes a book of cards as the server would keep them, which takes it much longer one by one."""
        self.make(book)
        folder = self.folder(book)
        for name, content in cards.items():
            (folder / name).write_bytes(content)
        if self.program == XANDIKOS:
            porcelain.add(folder, [folder / name for name in cards])
            porcelain.commit(folder, message=b"Cards", author=b"Ann <ann@example.org>", committer=b"Ann <ann@example.org>")
        return cards

    def folder(self, book="friends"):
        """Where the server keeps a book."""
        return self.data / "collection-root" / "alice" / book if self.program == RADICALE else self.data / self.home[1:] / book

    @contextlib.contextmanager
    def stopped(self):
        """While its data is changed behind its back."""
        self.stop()
        yield
        self.start()

    def remove(self):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


@contextlib.contextmanager
def server(program, start=True, **options):
    """A server that is gone afterwards, however the trial ended."""
    made = CardDAVServer(program, **options)
    try:
        yield made.start() if start else made
    finally:
        made.remove()


def account(server, **fields):
    """The account as a command names it."""
    return {"url": server.url, "username": "alice", "password": PASSWORD, **fields}


class Reader:
    """A hub that reads an account into a source."""

    def __init__(self, hub, server, name="home", **fields):
        self.hub, self.server, self.name = hub, server, name
        hub.reply("Contacts/AddSource", {"name": name, "carddav": account(server, **fields)})

    def sync(self, **options):
        return sync(self.hub, self.name, **options)

    def completed(self, **expected):
        """A pass that completes, with nothing held back, and these counts."""
        status = self.sync()
        assert status["state"] == "COMPLETED" and "heldBack" not in status, status
        counts = {key: status.get(key, 0) for key in ("added", "updated", "deleted", "revived", "skipped")}
        assert counts == {key: expected.pop(key, 0) for key in counts}, status
        for key, value in expected.items():
            assert status.get(key, 0) == value, status
        return status

    def failed(self, reason, live):
        """A pass that fails for a reason, says what to do, and takes nothing away."""
        before = self.identities()
        status = self.sync()
        assert (status["state"], status["error"]["reason"]) == ("ERROR", reason), status
        assert status.get("live", 0) == live and "deleted" not in status, status
        assert status["error"]["message"] and PASSWORD not in str(status)
        assert self.identities() == before
        return status["error"]

    def held(self, count, reason):
        """A pass that goes through and holds deletions back."""
        before = self.identities()
        status = self.sync()
        assert (status["state"], status.get("heldBack"), status.get("holdReason")) == ("COMPLETED", count, reason), status
        assert "deleted" not in status and self.identities() == before
        return status

    def contacts(self):
        return contacts(self.hub, self.name)

    def identities(self):
        return {card: contact["id"] for card, contact in self.contacts().items()}

    def problems(self):
        found = self.hub.reply("Contacts/Problems", {"source": self.name, "limit": 500}).get("problems", [])
        return {(problem["sourceIdentifier"], problem["kind"]) for problem in found}
