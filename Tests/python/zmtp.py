"""ZMTP 3.1 spoken byte by byte, as no library would: frames without an end, commands in between, connections that are torn off.

ZeroMQ RFC 37 and, for a peer with a key, RFC 26 (CURVE) with libsodium.
"""
import contextlib
import ctypes
import os
import socket
import struct

from zmq.utils import z85

MORE, LONG, COMMAND = 1, 2, 4


def _sodium():
    library = ctypes.CDLL("libsodium.so.23")
    assert library.sodium_init() >= 0
    return library


def greeting(mechanism):
    return b"\xff" + bytes(8) + b"\x7f\x03\x01" + mechanism.ljust(20, b"\0") + bytes(32)


def frame(body, flags=0):
    """The bytes of a frame."""
    if len(body) > 255:
        return bytes([flags | LONG]) + struct.pack(">Q", len(body)) + body
    return bytes([flags, len(body)]) + body


def command(name, body=b""):
    return bytes([len(name)]) + name + body


def metadata(**properties):
    entries = ((name.replace("_", "-").encode(), value) for name, value in properties.items())
    return b"".join(bytes([len(name)]) + name + struct.pack(">I", len(value)) + value for name, value in entries)


class Box:
    """Authenticated encryption between two keys (NaCl's crypto_box)."""

    sodium = None

    def __init__(self, public, secret):
        Box.sodium = Box.sodium or _sodium()
        self.shared = ctypes.create_string_buffer(32)
        assert Box.sodium.crypto_box_beforenm(self.shared, public, secret) == 0

    def seal(self, text, nonce):
        sealed = ctypes.create_string_buffer(len(text) + 16)
        Box.sodium.crypto_box_easy_afternm(sealed, text, ctypes.c_ulonglong(len(text)), nonce, self.shared)
        return sealed.raw

    def open(self, sealed, nonce):
        text = ctypes.create_string_buffer(max(1, len(sealed) - 16))
        result = Box.sodium.crypto_box_open_easy_afternm(text, sealed, ctypes.c_ulonglong(len(sealed)), nonce, self.shared)
        assert result == 0, "the server's box cannot be opened"
        return text.raw[:len(sealed) - 16]

    @staticmethod
    def keys():
        Box.sodium = Box.sodium or _sodium()
        public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
        Box.sodium.crypto_box_keypair(public, secret)
        return public.raw, secret.raw


class Speaker:
    """A connection that speaks as its user writes.

    endpoint: ipc:// or tcp://. server_key and key (each in Z85; of the key public and secret) make it CURVE.
    """

    def __init__(self, endpoint, kind=b"DEALER", *, server_key=None, key=None, identity=b"", timeout=30):
        self.endpoint, self.kind, self.identity = endpoint, kind, identity
        self.box, self.number = None, 2
        self.socket = self.dial(endpoint, timeout)
        try:
            self.handshake(server_key, key)
        except BaseException:
            self.socket.close()
            raise

    @staticmethod
    def dial(endpoint, timeout):
        """A plain socket that is connected."""
        if endpoint.startswith("ipc://"):
            dialled, address = socket.socket(socket.AF_UNIX), endpoint.removeprefix("ipc://")
        else:
            host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
            dialled, address = socket.socket(), (host, int(port))
        dialled.settimeout(timeout)
        try:
            dialled.connect(address)
        except BaseException:
            dialled.close()
            raise
        return dialled

    def handshake(self, server_key, key):
        self.socket.sendall(greeting(b"CURVE" if key else b"NULL"))
        self.exactly(64)
        ready = metadata(Socket_Type=self.kind, Identity=self.identity)
        if key is None:
            self.socket.sendall(frame(command(b"READY", ready), COMMAND))
            assert b"READY" in self.read()[1]
            return
        server, public, secret = z85.decode(server_key), z85.decode(key.public), z85.decode(key.secret)
        own_public, own_secret = Box.keys()
        zeros = Box(server, own_secret).seal(bytes(64), b"CurveZMQHELLO---" + struct.pack(">Q", 1))
        hello = b"\x01\x00" + bytes(72) + own_public + struct.pack(">Q", 1) + zeros
        self.socket.sendall(frame(command(b"HELLO", hello), COMMAND))
        welcome = self.read()[1]
        assert welcome.startswith(b"\x07WELCOME"), welcome[:20]
        opened = Box(server, own_secret).open(welcome[24:], b"WELCOME-" + welcome[8:24])
        connection, cookie = opened[:32], opened[32:]
        self.box = Box(connection, own_secret)
        nonce = os.urandom(16)
        vouch = Box(connection, secret).seal(own_public + server, b"VOUCH---" + nonce)
        text = public + nonce + vouch + ready
        sealed = self.box.seal(text, b"CurveZMQINITIATE" + struct.pack(">Q", 2))
        initiate = command(b"INITIATE", cookie + struct.pack(">Q", 2) + sealed)
        self.socket.sendall(frame(initiate, COMMAND))
        answer = self.read()[1]
        assert answer.startswith(b"\x05READY"), answer[:40]

    def exactly(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise ConnectionError("the hub has ended the connection")
            data += more
        return data

    def read(self):
        """(flags, body) of the next frame, as it is on the wire."""
        flags, size = self.exactly(2)
        if flags & LONG:
            size = struct.unpack(">Q", bytes([size]) + self.exactly(7))[0]
        return flags, self.exactly(size)

    def receive(self):
        """The frames of the next message."""
        frames = []
        while True:
            flags, body = self.read()
            if self.box is not None:
                text = self.box.open(body[16:], b"CurveZMQMESSAGES" + body[8:16])
                flags, body = (text[0] & 1) | (COMMAND if text[0] & 2 else 0), text[1:]
            if flags & COMMAND:
                continue
            frames.append(body)
            if not flags & MORE:
                return frames

    def bytes(self, body, *, more=False, is_command=False):
        """What a frame is on the wire."""
        if self.box is None:
            return frame(body, (MORE if more else 0) | (COMMAND if is_command else 0))
        self.number += 1
        text = bytes([(MORE if more else 0) | (2 if is_command else 0)]) + body
        sealed = self.box.seal(text, b"CurveZMQMESSAGEC" + struct.pack(">Q", self.number))
        return frame(b"\x07MESSAGE" + struct.pack(">Q", self.number) + sealed, 0)

    def message(self, frames):
        return b"".join(self.bytes(body, more=place < len(frames) - 1) for place, body in enumerate(frames))

    def ping(self, lifetime=0):
        """A PING of ZMTP, not of Kith."""
        return self.bytes(b"\x04PING" + struct.pack(">H", lifetime), is_command=True)

    def close(self):
        self.socket.close()

    def tear(self):
        """Ends the connection without a word: the other side gets a reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def ends(speaker):
    """Whether the other side ends the connection."""
    speaker.socket.settimeout(20)
    with contextlib.suppress(ConnectionError):
        while speaker.socket.recv(4096):
            pass
    return True
