"""Sources/CTraffic on real sockets, in a process that was started with it loaded before all other libraries."""
import contextlib
import ctypes
import pathlib
import resource
import tempfile

import zmq

from keyed import Key
from zmtp import Speaker, greeting


ZERO_COPY_RECV = 10


class Limits(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("received", "received_in_all", "unsent", "unsent_in_all")]


class Measure(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("bytes", "frames", "long_frames", "long_encrypted_frames", "names")]


class Totals(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("received", "unsent", "cut")]


def library():
    traffic = ctypes.CDLL(None)
    traffic.kith_traffic_totals.restype = Totals
    for name in ("kith_traffic_offer", "kith_traffic_has_room"):
        getattr(traffic, name).restype = ctypes.c_bool
    traffic.kith_traffic_has_room.argtypes = [ctypes.c_uint64]
    traffic.kith_traffic_owner.argtypes = [ctypes.c_int, ctypes.c_uint64]
    traffic.kith_traffic_plane.argtypes = [ctypes.c_size_t]
    traffic.kith_traffic_closings.restype = ctypes.c_uint64
    traffic.kith_traffic_drained.argtypes = [ctypes.c_int, ctypes.c_uint64]
    return traffic


def measure(frames, names=0):
    sizes = [len(frame) for frame in frames]
    return Measure(sum(sizes), len(sizes), sum(size > 255 for size in sizes), sum(size > 222 for size in sizes), names)


class Plane:
    """A socket that says what it takes and sends, as the hub's do."""

    def __init__(self, over="ipc", kind=zmq.ROUTER, most=0):
        context = zmq.Context()
        # As the hub's: Sources/ZeroMQ/Context.swift.
        context.set(ZERO_COPY_RECV, 0)
        self.traffic, self.socket = library(), context.socket(kind)
        self.socket.linger, self.socket.rcvhwm, self.socket.sndhwm = 0, 0, 0
        if kind == zmq.ROUTER:
            self.socket.router_mandatory = 1
        else:
            self.socket.xpub_verboser = 1
        self.keys = None
        if over == "curve":
            self.keys = zmq.curve_keypair()
            self.socket.curve_server, self.socket.curve_secretkey = 1, self.keys[1]
        self.number = self.traffic.kith_traffic_plane(most)
        self.traffic.kith_traffic_bind(self.number)
        self.socket.bind("tcp://127.0.0.1:*" if over == "curve" else f"ipc://{tempfile.mkdtemp(prefix='kith-')}/plane")
        self.traffic.kith_traffic_bind(0)
        self.of_peer = {}

    def client(self, kind=zmq.DEALER, **options):
        socket = zmq.Context().socket(kind)
        socket.linger, socket.sndhwm, socket.rcvhwm = 0, 0, 0
        for name, value in options.items():
            setattr(socket, name, value)
        if self.keys:
            socket.curve_serverkey = self.keys[0]
            socket.curve_publickey, socket.curve_secretkey = zmq.curve_keypair()
        socket.connect(self.socket.last_endpoint.decode())
        return socket

    def speaker(self, kind=b"DEALER"):
        """A peer that is let in, and speaks as a trial writes."""
        keys = {"server_key": self.keys[0], "key": Key()} if self.keys else {}
        return Speaker(self.socket.last_endpoint.decode(), kind, timeout=20, **keys)

    def stranger(self, sends):
        """A peer that is not let in, and what it has sent."""
        dialled = Speaker.dial(self.socket.last_endpoint.decode(), 20)
        dialled.sendall(greeting(b"CURVE" if self.keys else b"NULL") + sends)
        return dialled

    def take(self, count=1):
        """Takes so many messages; the routing id and the connection of the last."""
        for _ in range(count):
            assert self.socket.poll(20_000), "no message"
            frames = self.socket.recv_multipart(copy=False)
            connection, peer = frames[-1].get(zmq.SRCFD), frames[0].bytes
            if self.socket.type == zmq.ROUTER:
                size = measure([frame.bytes for frame in frames[1:]])
            else:
                size = measure([peer], len({b"\1": b"SUBSCRIBE", b"\0": b"CANCEL"}.get(peer[:1], b"")))
            self.traffic.kith_traffic_taken(connection, size)
            self.of_peer[peer] = connection
        closings = self.traffic.kith_traffic_closings()
        if not self.socket.poll(0):
            self.traffic.kith_traffic_drained(self.number, closings)
        return peer, connection

    def offer(self, peer, frames):
        """Sends a message to a peer unless that would go beyond a bound."""
        if not self.traffic.kith_traffic_offer(self.of_peer[peer], measure(frames)):
            return False
        self.socket.send_multipart([peer, *frames])
        return True

    @property
    def totals(self):
        return self.traffic.kith_traffic_totals()


def limit(received=0, received_in_all=0, unsent=0, unsent_in_all=0):
    library().kith_traffic_limit(Limits(received, received_in_all, unsent, unsent_in_all))


def flood(client):
    with contextlib.suppress(zmq.Again):
        for _ in range(200_000):
            client.send(b"x", zmq.DONTWAIT)


def anonymous_memory():
    """Bytes of this process that no file has."""
    size, resident, shared = map(int, pathlib.Path("/proc/self/statm").read_text().split()[:3])
    return (resident - shared) * resource.getpagesize()
