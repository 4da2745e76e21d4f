"""A name service for one test: it knows the records that it was given, and says of everything else that it is not there."""
import contextlib
import os
import socketserver
import threading

ADDRESS, TEXT, SERVICE = 1, 16, 33
# An address of this machine that nothing else listens on: each process of tests has its own.
HOST = f"127.53.{os.getpid() // 250 % 250}.{os.getpid() % 250 + 1}"


def encoded(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".") if label) + b"\0"


def address(text):
    return bytes(map(int, text.split(".")))


def text(*strings):
    return b"".join(bytes([len(string)]) + string.encode() for string in strings)


def service(priority, weight, port, target):
    return b"".join(number.to_bytes(2, "big") for number in (priority, weight, port)) + encoded(target)


class NameServer(socketserver.ThreadingUDPServer):
    """Answers on port 53, which is the only one that resolv.conf(5) can name."""

    daemon_threads = True

    def __init__(self, records):
        # The data of records by name and type (RFC 1035, 3.3; RFC 2782).
        self.records = records
        # What was asked for, oldest first.
        self.asked = []
        super().__init__((HOST, 53), Handler)


class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        question, socket = self.request
        labels, at = [], 12
        while length := question[at]:
            labels.append(question[at + 1:at + 1 + length].decode())
            at += 1 + length
        name, kind = ".".join(labels).lower(), int.from_bytes(question[at + 1:at + 3], "big")
        self.server.asked.append((name, kind))
        found = self.server.records.get((name, kind), [])
        is_known = any(name == known for known, _ in self.server.records)
        # An answer that is the authority's own (RFC 1035, 4.1.1); 3: there is no such name.
        flags = 0x8580 | (0 if is_known else 3)
        counts = b"".join(number.to_bytes(2, "big") for number in (flags, 1, len(found), 0, 0))
        answers = [  # each for the name in the question, for a minute
            b"\xc0\x0c" + kind.to_bytes(2, "big") + b"\0\1\0\0\0\x3c" + len(data).to_bytes(2, "big") + data for data in found]
        socket.sendto(question[:2] + counts + question[12:at + 5] + b"".join(answers), self.client_address)


@contextlib.contextmanager
def name_service(records):
    with NameServer(records) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
