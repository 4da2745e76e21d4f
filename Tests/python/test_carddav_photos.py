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
    "<d:response><d:href>/book/{0}.vcf</d:href><d:propstat><d:prop><d:getetag>\"{0}\"</d:getetag>{1}</d:prop>"
    "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>")


class AddressBook(BaseHTTPRequestHandler):
    """An address book that answers what it was made with."""

    def do_PROPFIND(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        members = "" if self.headers["Depth"] == "0" else "".join(MEMBER.format(name, "") for name in self.server.cards)
        self.multistatus(COLLECTION + members)

    def do_REPORT(self):
        asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.multistatus("".join(
            MEMBER.format(name, f"<c:address-data>{card}</c:address-data>") for name, card in self.server.cards.items()
            if f"/book/{name}.vcf" in asked))

    def do_GET(self):
        self.server.asked.append((self.path, self.headers["Authorization"]))
        if self.path == "/away.png":
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.other}/stolen.png")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self.reply(200 if self.path == "/photos/ann.png" else 404, PICTURE)

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
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield running
    for server in running:
        server.shutdown()
        server.server_close()


def card(name, photo):
    return f"BEGIN:VCARD\nVERSION:3.0\nUID:{name}\nFN:{name}\nN:{name};;;;\nPHOTO;VALUE=URI:{photo}\nEND:VCARD\n"


def test_pictures_come_from_the_own_server_alone(hub, servers):
    own, other = servers
    base = f"http://127.0.0.1:{own.server_port}"
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
