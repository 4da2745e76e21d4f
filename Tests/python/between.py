"""Stands between a hub and a CardDAV server, and changes what passes: for what a real server does on a bad day only."""
import contextlib
import http.client
import http.server
import threading
import typing

KEPT = ("ETag", "Content-Type", "Location", "WWW-Authenticate")


class Request(typing.NamedTuple):
    method: str
    path: str
    headers: dict
    body: bytes

    @property
    def is_multiget(self):
        return b"addressbook-multiget" in self.body

    @property
    def is_refused(self):
        """Whether a server that takes digests only asks for a login first."""
        return "Authorization" not in self.headers

    @property
    def is_list(self):
        return self.method == "PROPFIND" and self.headers.get("Depth") == "1" and b"getcontenttype" in self.body

    @property
    def is_changes(self):
        return b"sync-collection" in self.body and self.method == "REPORT"


class Reply(typing.NamedTuple):
    status: int
    # Pieces instead of bytes are sent one after another, for as long as they are taken.
    body: bytes | typing.Iterable[bytes] = b""
    headers: dict = {}


class Between(http.server.ThreadingHTTPServer):
    """Passes everything on until a test sets `before` or `after`."""

    daemon_threads = True

    def __init__(self, server):
        super().__init__(("127.0.0.1", 0), Handler)
        self.server = server
        # Every request that came, oldest first.
        self.seen = []
        # Gives the reply in the server's place, or None; what it raises ends the connection without one.
        self.before = lambda request: None
        # Gives what the hub gets of the server's reply.
        self.after = lambda request, reply: reply

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def reply(self, request):
        self.seen.append(request)
        return self.before(request) or self.after(request, self.ask(request))

    def ask(self, request):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        with contextlib.closing(connection):
            passed = ("Authorization", "Content-Type", "Depth", "Accept", "User-Agent")
            headers = {name: request.headers[name] for name in passed if name in request.headers}
            connection.request(request.method, request.path, request.body, headers)
            reply = connection.getresponse()
            kept = {name: value for name, value in reply.getheaders() if name in KEPT}
            return Reply(reply.status, reply.read(), kept)

    def handle_error(self, request, client_address):
        """The hub sees it: its connection ends."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        reply = self.server.reply(Request(self.command, self.path, dict(self.headers), body))
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if isinstance(reply.body, bytes):
            # A length of its own is a lie; the connection ends where the body does.
            self.close_connection = "Content-Length" in reply.headers
            if not self.close_connection:
                self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in reply.body:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    do_GET = do_PROPFIND = do_REPORT = answer

    def log_message(self, *_):
        """`seen` has it."""


@contextlib.contextmanager
def between(server):
    made = Between(server)
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield made
    finally:
        made.shutdown()
        thread.join()
        made.server_close()
