"""What sabre/dav 4.7 does with its Digest plug-in, in front of another WSGI application.

A REPORT without a body is answered 500 before a login is asked for: libcurl sends one where it knows that only a digest is taken.
A login has to name a nonce that the server gave. What the application gets has REMOTE_USER.
"""

import hashlib
import re
import secrets

from starter import PASSWORD

REALM = "SabreDAV"


def digest_of(text):
    return hashlib.md5(text.encode()).hexdigest()


def behind_digest(application):
    nonces = set()

    def user(environ):
        """Who has logged in; None if nobody."""
        kind, _, words = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
        said = {name: quoted or plain for name, quoted, plain in re.findall(r'(\w+)=(?:"([^"]*)"|([^",\s]+))', words)}
        if kind.lower() != "digest" or said.get("nonce") not in nonces or said.get("realm") != REALM:
            return None
        secret = digest_of(f"{said['username']}:{REALM}:{PASSWORD}")
        request = digest_of(f"{environ['REQUEST_METHOD']}:{said['uri']}")
        proof = digest_of(":".join([secret, said["nonce"], said["nc"], said["cnonce"], said["qop"], request]))
        return said["username"] if proof == said["response"] else None

    def answer(self, environ, start_response):
        if environ["REQUEST_METHOD"] == "REPORT" and environ.get("CONTENT_LENGTH") in (None, "", "0"):
            print("request REPORT without a body", flush=True)
            return refuse(start_response, "500 Internal Server Error", [])
        if not (name := user(environ)):
            print("request without a login", environ["REQUEST_METHOD"], flush=True)
            nonces.add(nonce := secrets.token_hex(8))
            challenge = f'Digest realm="{REALM}",qop="auth",nonce="{nonce}",opaque="{digest_of(REALM)}"'
            return refuse(start_response, "401 Unauthorized", [("WWW-Authenticate", challenge)])
        return application(self, {**environ, "REMOTE_USER": name}, start_response)

    return answer


def refuse(start_response, status, headers):
    body = b'<?xml version="1.0" encoding="utf-8"?><d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns"/>'
    start_response(status, [*headers, ("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
    return [body]
