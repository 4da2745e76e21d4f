"""A line between a phone and the house, with what lines do to pages."""
import contextlib
import socket
import threading
import time


class Line:
    """Carries bytes between a phone and a kith-web.

    `fault`: a page "breaks" off in its middle, or "stands" still there; a number is the status of a login page that comes instead.
    `lost`: requests with these bytes get no answer. `renamed`: two texts of one length; what kith-web calls by the one, the phone calls by
    the other. `gone`: what requests with these bytes ask for is nowhere. `held`: answers to requests with these bytes wait until it is
    empty; `came` says that the first of them is there.

    `spoilt` is how many pages a fault has met.
    """

    def __init__(self, front):
        self.port, self.fault, self.lost, self.renamed, self.gone = front.port, "", b"", (b"", b""), b""
        self.held, self.came, self.asked, self.spoilt = b"", threading.Event(), set(), 0
        self.calls = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://localhost:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                phone, _ = self.listener.accept()
                house = socket.create_connection(("127.0.0.1", self.port))
                self.calls.append(phone)
                for ends in (phone, house), (house, phone):
                    threading.Thread(target=self.carry, args=ends, daemon=True).start()

    def carry(self, source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                while data.startswith(b"HTTP/") and b"\r\n\r\n" not in data and (more := source.recv(1 << 16)):
                    data += more
                if isinstance(self.fault, int) and data.startswith(b"HTTP/"):
                    target.sendall(b"HTTP/1.1 %d Yes\r\nContent-Type: text/html\r\nConnection: close\r\n\r\nPlease log in" % self.fault)
                    break
                if self.fault and data.startswith(b"HTTP/") and b"text/html" in data:
                    self.spoilt += 1
                    target.sendall(data[:data.index(b"\r\n\r\n") + 300])
                    # Longer than the page has patience.
                    time.sleep(5 if self.fault == "stands" else 0)
                    break
                isAsked = not data.startswith(b"HTTP/") and target.getpeername()[1] == self.port
                if isAsked and self.lost and self.lost in data:
                    break
                if isAsked and self.held and self.held in data:
                    self.asked.add(source)
                if target in self.asked:
                    self.came.set()
                    while self.held and self.listener.fileno() >= 0:
                        time.sleep(0.01)
                    self.asked.discard(target)
                if isAsked and self.gone:
                    data = data.replace(self.gone, b"/files/nowhere/")
                old, new = reversed(self.renamed) if isAsked else self.renamed
                target.sendall(data.replace(old, new) if old else data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def hang_up(self):
        """Ends all connections."""
        for call in self.calls:
            with contextlib.suppress(OSError):
                call.shutdown(socket.SHUT_RDWR)
        self.calls.clear()
