"""Another client of a CardDAV server: what somebody else does to the cards there."""
import base64
import contextlib
import hashlib
import http.client
import itertools
import random
import re
import secrets
import ssl
import time
import urllib.parse
import xml.etree.ElementTree

PASSWORD = "secret"

MAKE_BOOK = """<mkcol xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav"><set><prop><resourcetype><collection/>\
<c:addressbook/></resourcetype><displayname>{}</displayname></prop></set></mkcol>"""
LIST = b"""<propfind xmlns="DAV:"><prop><getetag/><resourcetype/></prop></propfind>"""


def card(name, *lines, uid=None):
    """A card that every server keeps as it is."""
    lines = [f"UID:{uid or name}", f"FN:{name}", f"N:{name};;;", *lines]
    return "\r\n".join(["BEGIN:VCARD", "VERSION:3.0", *lines, "END:VCARD", ""]).encode()


class CardDAVClient:
    """The requests of one user. Subclasses have the `port` of a server on this machine and the path of the user's `home`."""

    user = "alice"
    tls = digest = False
    # The challenge that the server gave last.
    challenge = ""
    uses = itertools.count(1)

    @property
    def url(self):
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}"

    def connection(self):
        if not self.tls:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        # This client prepares the trial; whom the hub trusts is another matter.
        trusting = ssl._create_unverified_context()
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=trusting)

    def ask(self, method, path, body=b"", content_type="application/xml; charset=utf-8", **headers):
        """(status, headers, body) of a request."""
        for _ in range(2):
            connection = self.connection()
            with contextlib.closing(connection):
                proof = self.digest_proof(method, path) if self.digest else self.basic_proof()
                connection.request(method, path, body, {**proof, "Content-Type": content_type, **headers})
                reply = connection.getresponse()
                answer = reply.status, reply.headers, reply.read()
            if not (self.digest and reply.status == 401):
                break
            self.challenge = reply.headers["WWW-Authenticate"]
        return answer

    def basic_proof(self):
        return {"Authorization": "Basic " + base64.b64encode(f"{self.user}:{PASSWORD}".encode()).decode()}

    def digest_proof(self, method, path):
        if not self.challenge:
            return {}
        given = dict(re.findall(r'(\w+)="([^"]*)"', self.challenge))
        count, own = f"{next(self.uses):08x}", secrets.token_hex(8)
        secret = digest_of(f"{self.user}:{given['realm']}:{PASSWORD}")
        proof = digest_of(f"{secret}:{given['nonce']}:{count}:{own}:auth:{digest_of(f'{method}:{path}')}")
        values = {"username": self.user, "realm": given["realm"], "nonce": given["nonce"], "uri": path, "cnonce": own,
                  "response": proof, "opaque": given.get("opaque", "")}
        words = [f'{name}="{value}"' for name, value in values.items()]
        return {"Authorization": f"Digest {', '.join(words)}, qop=auth, nc={count}"}

    def done(self, method, path, *arguments, **options):
        end = time.monotonic() + 60
        status, _, body = self.ask(method, path, *arguments, **options)
        # Xandikos does not wait until another write is over.
        while status == 423 and time.monotonic() < end:
            time.sleep(random.uniform(0, 0.02))
            status, _, body = self.ask(method, path, *arguments, **options)
        assert 200 <= status < 300, f"{method} {path}: {status} {body[:300]}"
        return body

    def make(self, book, name="Friends"):
        self.done("MKCOL", f"{self.home}{book}/", MAKE_BOOK.format(name).encode())

    def put(self, name, content, book="friends"):
        self.done("PUT", f"{self.home}{book}/{name}", content, "text/vcard; charset=utf-8")

    def delete(self, name, book="friends"):
        self.done("DELETE", f"{self.home}{book}/{name}")

    def move(self, name, other, book="friends"):
        """Gives a card another name, which no card may have."""
        path = f"{self.home}{book}/"
        self.done("MOVE", f"{path}{name}", Destination=f"{self.url}{path}{other}", Overwrite="F")

    def remove_book(self, book):
        """Also Cyrus removes it, and answers 404."""
        path = f"{self.home}{book}/"
        status, _, body = self.ask("DELETE", path)
        assert 200 <= status < 300 or status == 404, f"DELETE {path}: {status} {body[:300]}"
        assert path not in self.members(self.home)

    def members(self, path):
        """The paths that a listing of a collection names."""
        listing = xml.etree.ElementTree.fromstring(self.done("PROPFIND", path, LIST, Depth="1"))
        return [urllib.parse.urlsplit(href.text.strip()).path for href in listing.findall("{DAV:}response/{DAV:}href")]

    def held(self, book="friends"):
        """(FN, UID) of each card that the server gives out, by the name of the card."""
        path = f"{self.home}{book}/"
        return {urllib.parse.unquote(href.rsplit("/", 1)[1]): self.said(href)
                for href in self.members(path) if href.rstrip("/") != path.rstrip("/")}

    def tag(self, name, book="friends"):
        """The ETag of a card, as the server gives it out with the card."""
        status, headers, _ = self.ask("GET", f"{self.home}{book}/{name}")
        assert status == 200
        return headers["ETag"]

    def said(self, href):
        text = re.sub(r"\r?\n[ \t]", "", self.done("GET", href).decode())
        return tuple(re.search(rf"^{name}[^:\r\n]*:(.*?)\r?$", text, re.M)[1] for name in ("FN", "UID"))


def digest_of(text):
    return hashlib.md5(text.encode()).hexdigest()
