#!/usr/bin/env python3
"""An HTTP server that does, byte by byte, what the path of a request asks for: replies that real servers give on bad days.

Prints "ready PORT OTHER": two listeners, so that there is a second origin. Ends with its standard input. With --tls the
listeners speak TLS. The paths are the functions below whose names begin with "on_", with "-" for "_"; their arguments
are the query.
"""

import argparse
import collections
import gzip
import hashlib
import itertools
import socket
import ssl
import sys
import threading
import urllib.parse
import zlib

connections = itertools.count(1)
swallowed = 0


class Request:
    """What has arrived, and the connection to answer on."""

    def __init__(self, connection, number, count):
        self.connection = connection
        self.number = number
        self.count = count
        self.file = connection.makefile("rb")

    def read_head(self):
        line = self.file.readline()
        if not line:
            return False
        self.method, self.target, _ = line.decode("latin-1").split()
        path, _, query = self.target.partition("?")
        self.path = path
        self.query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        self.headers = []
        while (line := self.file.readline().rstrip(b"\r\n")) != b"":
            name, _, value = line.decode("utf-8").partition(":")
            self.headers.append((name.lower(), value.strip()))
        return True

    def header(self, name):
        return dict(self.headers).get(name)

    def read_body(self):
        if self.header("transfer-encoding") == "chunked":
            body = b""
            while size := int(self.file.readline(), 16):
                body += self.file.read(size)
                self.file.readline()
            self.file.readline()
            return body
        return self.file.read(int(self.header("content-length") or 0))

    def send(self, text):
        self.connection.sendall(text.encode() if isinstance(text, str) else text)

    def reply(self, status, body=b"", *headers):
        body = body.encode() if isinstance(body, str) else body
        lines = [f"HTTP/1.1 {status} Scripted", f"Content-Length: {len(body)}", *headers]
        self.send("\r\n".join(lines) + "\r\n\r\n")
        if self.method != "HEAD":
            self.send(body)

    def close(self):
        self.file.close()
        self.connection.close()

    def wait_for_end(self):
        """Says nothing more until the other side goes away."""
        while self.connection.recv(65536):
            pass


def on_echo(request):
    """Replies with all that was received: method, target, fields in lower case, an empty line, the body."""
    body = request.read_body()
    head = "\n".join([f"{request.method} {request.target}"] + [f"{name}: {value}" for name, value in request.headers])
    request.reply(200, head.encode() + b"\n\n" + body, "Content-Type: text/plain")


def on_digest_of_body(request):
    request.reply(200, hashlib.sha256(request.read_body()).hexdigest())


def on_connection(request):
    """Replies with the number of the connection and that of the request on it."""
    request.read_body()
    request.reply(200, f"{request.number} {request.count}")


def on_redirect(request):
    request.read_body()
    request.reply(int(request.query["status"]), b"moved", "Location: " + request.query["to"])


def on_hops(request):
    """Redirects to itself so many times."""
    left = int(request.query["left"])
    status = request.query.get("status", "302")
    request.read_body()
    if left == 0:
        request.reply(200, "arrived")
    else:
        request.reply(int(status), b"", f"Location: ?left={left - 1}&status={status}")


def on_moved_down(request):
    """Redirects to a guarded page of a host below its own."""
    request.reply(302, b"", f"Location: https://below.{request.header('host')}/guarded")


def on_guarded(request):
    """Replies with a card to whoever shows a password."""
    if request.header("authorization"):
        request.reply(200, "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Guarded\r\nEND:VCARD\r\n", 'ETag: "1"')
    else:
        request.reply(401, b"", "WWW-Authenticate: Basic")


def on_barred(request):
    """Lets nobody in, and asks for a password in the open."""
    request.reply(401, b"", "WWW-Authenticate: Basic")


def on_book(request):
    """An address book that leaves out every card that is asked for."""
    request.read_body()
    request.reply(207, '<multistatus xmlns="DAV:"/>', "Content-Type: application/xml")


def on_loop(request):
    request.reply(307, b"", "Location: /loop")


def on_status(request):
    """Replies with a status, and with the fields of the query."""
    request.read_body()
    fields = [f"{name}: {value}" for name, value in request.query.items() if name not in ("code", "size")]
    request.reply(int(request.query["code"]), b"x" * int(request.query.get("size", 0)), *fields)


def on_bytes(request):
    """Replies with so many bytes of a pattern."""
    size = int(request.query["size"])
    request.send(f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n")
    block = bytes(range(256)) * 1024
    for _ in range(size // len(block)):
        request.send(block)
    request.send(block[: size % len(block)])


def on_gzip(request):
    body = ("text " * 20_000).encode()
    if "gzip" not in (request.header("accept-encoding") or ""):
        request.reply(200, body)
    else:
        request.reply(200, gzip.compress(body), "Content-Encoding: gzip")


def on_gzip_members(request):
    request.reply(200, gzip.compress(b"one") + gzip.compress(b"two"), "Content-Encoding: gzip")


def on_bomb(request):
    """Sends zeros without end, a thousand times smaller on the wire."""
    request.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
    packer = zlib.compressobj(9, wbits=31)
    while True:
        if piece := packer.compress(bytes(1 << 20)):
            request.send(b"%x\r\n%s\r\n" % (len(piece), piece))


def on_bad_gzip(request):
    request.reply(200, b"this is not gzip", "Content-Encoding: gzip")


def on_endless(request):
    request.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        request.send(b"10000\r\n" + b"e" * 65536 + b"\r\n")


def on_truncated(request):
    """Ends in the middle of a body: of a length, of chunks, or of gzip whose wire says that it is whole."""
    packed = gzip.compress(hashlib.sha512(b"x").digest() * 10)[:-20]
    if request.query["by"] == "gzip":
        request.reply(200, packed, "Content-Encoding: gzip")
    elif request.query["by"] == "close":
        request.send(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n" + packed)
    elif request.query["by"] == "length":
        request.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + "x" * 100)
    else:
        request.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n" + "x" * 100 + "\r\n")
    request.close()


def on_stalled(request):
    """Begins a body and stops."""
    request.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + "x" * 100)
    request.wait_for_end()


def on_silent(request):
    """Says nothing."""
    request.wait_for_end()


def on_slow(request):
    """Sends a head line by line, never the end of it, quick enough not to be idle."""
    request.send("HTTP/1.1 200 OK\r\n")
    pause = threading.Event()
    for number in itertools.count():
        request.send(f"X-Line-{number}: x\r\n")
        pause.wait(0.05)


def on_long_head(request):
    request.send("HTTP/1.1 200 OK\r\n")
    for number in itertools.count():
        request.send(f"X-Line-{number}: {'x' * 8000}\r\n")


def on_hung_up(request):
    """Closes without a reply."""
    request.close()


def on_swallow(request):
    """Reads the request to its end, and closes without a reply."""
    global swallowed
    request.read_body()
    swallowed += 1
    request.close()


def on_swallowed(request):
    request.reply(200, str(swallowed))


def on_reset_upload(request):
    """Reads a little of a body and resets the connection."""
    request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    request.close()


def on_nonsense(request):
    request.send("220 mail.example.org ESMTP\r\n")
    request.close()


def on_once(request):
    """Replies and closes, without saying so before."""
    request.read_body()
    request.reply(200, f"{request.number} {request.count}")
    request.close()


def on_interim(request):
    request.send("HTTP/1.1 103 Early Hints\r\nX-Early: yes\r\n\r\n")
    request.reply(200, "final", "X-Final: yes", "X-Twice: one", "X-Twice: two")


class DigestLogin:
    """The nonce of a name in the query, how often it was used, and how many requests were refused."""

    def __init__(self):
        self.nonce, self.uses, self.refusals = 1, 0, 0


digest_logins = collections.defaultdict(DigestLogin)


def on_digest(request):
    """Asks for a digest of user "ann", password "s3cret" and realm "r", by a nonce that is stale after four uses."""
    body = request.read_body()
    if request.method == "REPORT" and not body:
        request.reply(500, "the body is no XML")
        return
    login = digest_logins[request.target]
    fields = dict(part.strip().split("=", 1) for part in (request.header("authorization") or "").removeprefix("Digest ").split(",")
                  if "=" in part)
    fields = {name: value.strip('"') for name, value in fields.items()}
    md5 = lambda *parts: hashlib.md5(":".join(parts).encode()).hexdigest()
    named = [fields.get(name, "") for name in ("nonce", "nc", "cnonce", "qop")]
    expected = md5(md5("ann", "r", "s3cret"), *named, md5(request.method, request.target))
    is_right = fields.get("response") == expected
    is_stale = is_right and (named[0] != f"n{login.nonce}" or login.uses == 4)
    if is_right and not is_stale:
        login.uses += 1
        request.reply(200, body, f"X-Refusals: {login.refusals}")
        return
    login.nonce, login.uses, login.refusals = login.nonce + 1, 0, login.refusals + 1
    stale = ", stale=true" if is_stale else ""
    request.reply(401, b"", f'WWW-Authenticate: Digest realm="r", qop="auth,auth-int", nonce="n{login.nonce}"{stale}')


def serve(connection, context):
    number = next(connections)
    try:
        if context:
            connection = context.wrap_socket(connection, server_side=True)
        for count in itertools.count(1):
            request = Request(connection, number, count)
            if not request.read_head():
                break
            globals()["on_" + request.path.strip("/").replace("-", "_")](request)
    except (OSError, ValueError):
        pass  # the other side has gone away
    finally:
        connection.close()


def listen(context):
    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=serve, args=(connection, context), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tls", nargs=2, metavar=("CERTIFICATE", "KEY"))
    parser.add_argument("--client-authority", metavar="CERTIFICATE", help="demand client certificates of this authority")
    arguments = parser.parse_args()
    context = None
    if arguments.tls:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(*arguments.tls)
        if arguments.client_authority:
            context.load_verify_locations(arguments.client_authority)
            context.verify_mode = ssl.CERT_REQUIRED
    print("ready", listen(context), listen(context), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
