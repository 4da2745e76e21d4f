"""HTTP for an instance, and the program's command line."""

import argparse
import http.server
import os
import socket
import sys
import threading

from . import control
from .answers import page
from .instance import Instance, Settings
from .request import Request


class Connection(http.server.BaseHTTPRequestHandler):
    """A connection of a client, which stays open from one request to the next."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body go together

    def handle_request(self):
        request = Request(self.server.instance, self.command, self.path, self.headers, self.read_body())
        if request.path.startswith("/__sim/"):
            return self.send(control.answer(request))
        if request.path == "/api" or request.path.startswith("/api/"):
            return self.server.instance.serve(request, self)
        return self.send(page(404, "Not Found"))

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request  # noqa: N815

    def read_body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.read_whole(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.read_line(), 16):
            body += self.read_whole(size)
            self.read_line()
        self.read_line()
        return body

    def read_whole(self, size):
        """So many bytes. The web server before Monica hands no request on of which a part never came."""
        piece = self.rfile.read(size)
        if len(piece) < size:
            raise ConnectionAbortedError("the client went away within a request")
        return piece

    def read_line(self):
        line = self.rfile.readline()
        if not line.endswith(b"\n"):
            raise ConnectionAbortedError("the client went away within a request")
        return line

    def send_head(self, answer, length, **more):
        self.send_response(answer.status)
        fields = {"Content-Type": answer.content_type, "Cache-Control": "no-cache, private", **answer.fields, **more}
        for name, value in fields.items():
            self.send_header(name, str(value))
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def send(self, answer):
        body = b"" if self.command == "HEAD" else answer.body.encode()
        self.send_head(answer, len(body))
        self.wfile.write(body)

    def send_half(self, answer):
        """Promises the whole body, sends half of it and closes."""
        body = answer.body.encode()
        self.send_head(answer, len(body), Connection="close")
        self.wfile.write(body[: len(body) // 2])
        self.wfile.flush()
        self.drop()

    def drop(self):
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format, *arguments):
        """Says nothing: the log of the requests is for tests to ask for."""


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, address, settings):
        super().__init__(address, Connection)
        host, port = self.server_address[:2]
        settings.base_url = settings.base_url or f"http://{host}:{port}"
        self.instance = Instance(settings)

    def server_bind(self):
        """Without asking a name server what this machine is called."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # the other side may go away at any time
            super().handle_error(request, client_address)


def end_with_input():
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


def main(description):
    defaults = Settings()
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="a free one when none is given")
    parser.add_argument("--token", default=defaults.token)
    parser.add_argument("--contacts", type=int, default=0, metavar="N", help="begin with so many contacts")
    parser.add_argument("--rate-limit", type=int, default=defaults.rate_limit, metavar="N", help="in a window; 0: none")
    parser.add_argument("--rate-window", type=float, default=defaults.rate_window, metavar="SECONDS")
    parser.add_argument("--max-limit", type=int, default=defaults.max_limit, metavar="N", help="largest page")
    parser.add_argument("--default-limit", type=int, default=defaults.default_limit, metavar="N", help="page unless asked")
    parser.add_argument("--base-url", default="", metavar="URL", help="what addresses in answers begin with")
    parser.add_argument("--latency-ms", type=int, default=0, metavar="N", help="how long each answer takes at least")
    parser.add_argument("--pre412", action="store_true", help="as before 4.1.2: a search gives contacts new uuids")
    options = vars(parser.parse_args())
    address = options.pop("host"), options.pop("port")
    server = Server(address, Settings(**options))
    threading.Thread(target=end_with_input, daemon=True).start()
    print("ready", server.server_address[1], flush=True)
    server.serve_forever()
