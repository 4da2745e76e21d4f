"""Pictures that cards only name: fetched from the server of the address book, and from nowhere else."""
import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

PICTURE = bytes.fromhex("89504e470d0a1a0a") + b"picture of the own server"
BOOK = "/book/"
COLLECTION = (
    '<d:response><d:href>/book/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/><c:addressbook/>'
    "</d:resourcetype><d:getetag>1</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>")
MEMBER = (
    "<d:response><d:href>/book/{0}.vcf</d:href><d:propstat><d:prop><d:getetag>\"{1}\"</d:getetag>{2}</d:prop>"
    "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>")


class AddressBook(BaseHTTPRequestHandler):
    """An address book that answers what it was made with."""

    def do_PROPFIND(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        members = "" if self.headers["Depth"] == "0" else "".join(self.member(name, "") for name in self.server.cards)
        self.multistatus(COLLECTION + members)

    def member(self, name, data):
        tag = hashlib.sha256(self.server.cards[name].encode()).hexdigest()
        return MEMBER.format(name, tag, data)

    def do_REPORT(self):
        asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.multistatus("".join(
            self.member(name, f"<c:address-data>{card}</c:address-data>") for name, card in self.server.cards.items()
            if f"/book/{name}.vcf" in asked))

    def do_GET(self):
        self.server.asked.append((self.path, self.headers["Authorization"]))
        if self.path == "/away.png":
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.other}/stolen.png")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            status, body = self.server.pictures.get(self.path, (404, b""))
            if status == 0:
                self.close_connection = True
            else:
                self.reply(status, body)

    def multistatus(self, responses):
        self.reply(207, (
            f'<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav">{responses}'
            "</d:multistatus>").encode())

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def servers():
    """The server of the address book, and another one that nobody may ask."""
    running = [ThreadingHTTPServer(("127.0.0.1", 0), AddressBook) for _ in range(2)]
    for server, other in zip(running, reversed(running)):
        server.asked, server.cards, server.other = [], {}, other.server_port
        # What stands at a path: a status, 0 for none, and a body.
        server.pictures = {}
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield running
    for server in running:
        server.shutdown()
        server.server_close()


def card(name, photo, title=""):
    return (
        f"BEGIN:VCARD\nVERSION:3.0\nUID:{name}\nFN:{name}\nN:{name};;;;\nTITLE:{title}\nPHOTO;VALUE=URI:{photo}\nEND:VCARD\n")


def test_pictures_come_from_the_own_server_alone(hub, servers):
    own, other = servers
    base = f"http://127.0.0.1:{own.server_port}"
    own.pictures = other.pictures = {"/photos/ann.png": (200, PICTURE)}
    own.cards = {
        "ann": card("ann", f"{base}/photos/ann.png"),
        "missing": card("missing", f"{base}/photos/none.png"),
        "redirected": card("redirected", f"{base}/away.png"),
        "elsewhere": card("elsewhere", f"http://127.0.0.1:{other.server_port}/photos/ann.png"),
        "file": card("file", "file:///etc/passwd"),
    }
    hub.reply("Contacts/AddSource", {
        "name": "dav", "carddav": {"url": base + BOOK, "username": "u", "password": "p"}})
    status = hub.reply("Contacts/Sync", {}, timeout=60)["sources"][0]
    assert (status["state"], status["added"]) == ("COMPLETED", 5), status
    contacts = {c["uid"]: c for c in hub.reply("Contacts/List", {})["contacts"]}
    digest = hashlib.sha256(PICTURE).hexdigest()
    assert {uid for uid, contact in contacts.items() if "photo" in contact} == {"ann"}
    assert contacts["ann"]["photo"]["sha256"] == digest
    _, data, attachments = hub.ask("System/BlobGet", {"sha256": digest, "offset": 0, "length": 1000})
    assert attachments == [PICTURE], data
    assert all(authorization for _, authorization in own.asked)
    assert other.asked == []
    problems = {p["sourceIdentifier"]: p["kind"] for p in hub.reply("Contacts/Problems", {})["problems"]}
    assert problems == {"book/missing.vcf": "photo_unreachable", "book/redirected.vcf": "photo_unreachable"}


def picture(text):
    return PICTURE[:8] + text.encode()


def digest(body):
    return hashlib.sha256(body).hexdigest()


class Household:
    """An account whose cards name pictures at its own server."""

    def __init__(self, hub, server):
        self.hub, self.server = hub, server
        self.base = f"http://127.0.0.1:{server.server_port}"

    def add(self):
        self.hub.reply("Contacts/AddSource", {
            "name": "dav", "carddav": {"url": self.base + BOOK, "username": "u", "password": "p"}})

    def card(self, name, path, title=""):
        self.server.cards[name] = card(name, self.base + path, title)

    def sync(self, **options):
        self.server.asked.clear()
        status = self.hub.reply("Contacts/Sync", options, timeout=60)["sources"][0]
        assert status["state"] == "COMPLETED", status
        return status

    def photo(self, name):
        contact = next(c for c in self.hub.reply("Contacts/List", {})["contacts"] if c["uid"] == name)
        return contact.get("title", ""), contact.get("photo", {}).get("sha256")

    def problems(self):
        return {p["sourceIdentifier"]: p["kind"] for p in self.hub.reply("Contacts/Problems", {}).get("problems", [])}


@pytest.mark.parametrize("status", [503, 429, 0])
def test_a_picture_that_does_not_come_now_comes_later(hub, servers, status):
    home = Household(hub, servers[0])
    one, two = picture("one"), picture("two")
    home.server.pictures = {"/1.png": (200, one)}
    home.card("ann", "/1.png")
    home.card("bob", "/1.png")
    home.add()
    home.sync()
    assert home.photo("ann") == home.photo("bob") == ("", digest(one))

    # The card changes, and its picture cannot be had: the old one stays.
    home.server.pictures = {"/1.png": (status, b""), "/2.png": (status, b"")}
    home.card("ann", "/2.png", "Doctor")
    home.card("bob", "/1.png", "Baker")
    home.card("cid", "/2.png")
    assert home.sync()["updated"] == 2
    assert (home.photo("ann"), home.photo("bob")) == (("Doctor", digest(one)), ("Baker", digest(one)))
    assert home.photo("cid") == ("", None)
    assert home.problems() == {f"book/{name}.vcf": "photo_later" for name in ("ann", "bob", "cid")}
    assert home.sync().get("updated", 0) == 0

    # Nothing changes but that the server gives them again.
    home.server.pictures = {"/1.png": (200, one), "/2.png": (200, two)}
    home.sync()
    assert (home.photo("ann"), home.photo("bob")) == (("Doctor", digest(two)), ("Baker", digest(one)))
    assert home.photo("cid") == ("", digest(two))
    assert home.problems() == {}
    home.sync()
    assert not home.server.asked


def test_a_picture_that_is_gone(hub, servers):
    home = Household(hub, servers[0])
    one = picture("one")
    home.server.pictures = {"/1.png": (200, one)}
    for name in ("ann", "bob"):
        home.card(name, "/1.png")
    home.add()
    home.sync()
    home.server.pictures = {}
    home.card("ann", "/1.png", "Doctor")
    home.card("bob", "/2.png", "Baker")
    home.sync()
    # What the card still names may be back; what it names no more is not its picture.
    assert (home.photo("ann"), home.photo("bob")) == (("Doctor", digest(one)), ("Baker", None))
    assert home.problems() == {f"book/{name}.vcf": "photo_unreachable" for name in ("ann", "bob")}
    home.sync()
    assert not home.server.asked


def test_a_full_pass_sees_another_picture_at_the_same_place(hub, servers):
    home = Household(hub, servers[0])
    home.server.pictures = {"/1.png": (200, picture("one"))}
    home.card("ann", "/1.png")
    home.add()
    home.sync()
    home.server.pictures = {"/1.png": (200, picture("two"))}
    assert home.sync(full=True)["updated"] == 1
    assert home.photo("ann") == ("", digest(picture("two")))
    home.server.pictures = {"/1.png": (503, b"")}
    assert home.sync(full=True).get("updated", 0) == 0
    assert home.photo("ann") == ("", digest(picture("two")))
    assert home.problems() == {"book/ann.vcf": "photo_later"}


def test_a_server_that_gives_no_pictures_is_not_asked_for_each(hub, servers):
    home = Household(hub, servers[0])
    for index in range(20):
        home.server.pictures[f"/{index}.png"] = (0, b"")
        home.card(f"c{index}", f"/{index}.png")
    home.add()
    assert home.sync()["added"] == 20
    assert len({path for path, _ in home.server.asked}) == 3
    assert len(home.problems()) == 20
    for index in range(20):
        home.server.pictures[f"/{index}.png"] = (200, picture(str(index)))
    home.sync()
    assert all(home.photo(f"c{index}")[1] == digest(picture(str(index))) for index in range(20))
    assert home.problems() == {}
