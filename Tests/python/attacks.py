"""What a peer that was let in may try against the hub."""
import contextlib
import json
import os
import random
import select
import socket
import time
import traceback
import uuid

from garbage import Garbage
from keyed import Key
from zmtp import COMMAND, Speaker, greeting

CONNECTIONS = 24
KIB = 1 << 10


def request(method="System/Ping", body=b"{}", header=None, ctype=b"json", more=()):
    header = header or {"requestId": str(uuid.uuid4())}
    return [b"KTHC01", b"\x01", f"kith.v1.{method}".encode(), ctype, json.dumps(header).encode(), body, *more]


def large_ping(size=240 * KIB):
    """A ping in protobuf with so many bytes to be sent back."""
    # A number of three bytes, also where fewer would do.
    length = bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14])
    frames = request(body=b"\x0a" + length + bytes(size), ctype=b"pb")
    frames[4] = b"\x0a\x08" + os.urandom(4).hex().encode()
    return frames


class CountedSocket(socket.socket):
    """Goes on with a connection, and adds what is sent to an attacker's count."""

    def __init__(self, plain, attacker):
        timeout = plain.gettimeout()
        super().__init__(fileno=plain.detach())
        self.settimeout(timeout)
        self.attacker = attacker

    def send(self, data, *flags):
        count = super().send(data, *flags)
        self.attacker.sent += count
        return count

    def sendall(self, data, *flags):
        super().sendall(data, *flags)
        self.attacker.sent += len(data)


class Attacker:
    """One way in, and what is tried by it. Each attack goes on until its time is over."""

    def __init__(self, control, events, seed, patience=1, **way):
        self.control, self.events, self.way = control, events, way
        # Seconds for a handshake.
        self.patience = patience
        self.random = random.Random(seed)
        self.over = 0.0
        # Bytes, without those of handshakes that were let in.
        self.sent = 0
        # What must not happen, in words.
        self.faults = []

    def connect(self, endpoint=None, kind=b"DEALER", identity=b""):
        speaker = Speaker(endpoint or self.control, kind, identity=identity, timeout=self.patience, **self.way)
        speaker.socket = CountedSocket(speaker.socket, self)
        return speaker

    def dial(self, endpoint, timeout):
        return CountedSocket(Speaker.dial(endpoint, timeout), self)

    @property
    def goes_on(self):
        return time.monotonic() < self.over

    @contextlib.contextmanager
    def connections(self, count=CONNECTIONS, **options):
        """As many as are let in; torn off in the end."""
        speakers = []
        try:
            for _ in range(count):
                if not self.goes_on:
                    break
                try:
                    speakers.append(self.connect(**options))
                    speakers[-1].socket.setblocking(False)
                except TimeoutError:
                    # Told to come later: this user has its share.
                    break
                except (OSError, AssertionError):
                    continue
            yield speakers
        finally:
            for speaker in speakers:
                # One that was cut is closed already.
                with contextlib.suppress(OSError):
                    speaker.tear() if self.random.random() < 0.5 else speaker.socket.close()

    def pour(self, speakers, make):
        """Sends what `make` gives for as long as it is taken; a connection that was cut is made again."""
        left = {speaker: b"" for speaker in speakers}
        while self.goes_on and left:
            is_stuck = True
            for speaker in list(left):
                data = left.pop(speaker) or make(speaker)
                try:
                    sent = speaker.socket.send(data)
                    left[speaker] = data[sent:]
                    is_stuck = False
                except BlockingIOError:
                    left[speaker] = data
                except OSError:
                    speaker.socket.close()
                    with contextlib.suppress(OSError, AssertionError):
                        speaker = self.connect(kind=speaker.kind, endpoint=speaker.endpoint)
                        speaker.socket.setblocking(False)
                        speakers.append(speaker)
                        left[speaker] = b""
            if is_stuck:
                time.sleep(0.005)

    # MARK: Queues that are filled

    def pings_that_are_not_read(self):
        with self.connections() as speakers:
            self.pour(speakers, lambda speaker: speaker.message(large_ping()))

    def small_pings_that_are_not_read(self):
        with self.connections() as speakers:
            self.pour(speakers, lambda speaker: b"".join(speaker.message(request()) for _ in range(50)))

    def answers_of_all_sizes_that_are_not_read(self):
        sizes = [240 * KIB, 60 * KIB, 4000, 400, 130]
        with self.connections() as speakers:
            self.pour(speakers, lambda speaker: speaker.message(large_ping(self.random.choice(sizes))))

    def messages_of_one_byte(self):
        """Many to a reading, and cut again and again."""
        with self.connections() as speakers:
            self.pour(speakers, lambda speaker: b"".join(speaker.message([b"x", b"y"]) for _ in range(500)))

    def costly_json(self):
        body = b'{"z":[' + b"1," * 119_000 + b"1]}"
        with self.connections() as speakers:
            self.pour(speakers, lambda speaker: speaker.message(request(body=body)))

    def deep_json(self):
        body = b'{"z":' + b"[" * 120_000 + b"]" * 120_000 + b"}"
        with self.connections(4) as speakers:
            self.pour(speakers, lambda speaker: speaker.message(request("Contacts/List", body)))

    def pipelined_commands(self):
        bodies = [("Contacts/List", b'{"limit":500}'), ("System/Services", b"{}"), ("System/Snapshot", b'{"stream":"contacts"}'),
                  ("System/Status", b"{}"), ("System/Replay", b'{"stream":"contacts"}'), ("Care/List", b"{}")]
        with self.connections() as speakers:
            self.pour(speakers, lambda speaker: speaker.message(request(*self.random.choice(bodies))))

    def large_bodies_of_commands(self):
        pad = json.dumps({"unknown": "y" * 200 * KIB}).encode()
        with self.connections() as speakers:
            self.pour(speakers, lambda speaker: speaker.message(
                request("Contacts/List", pad, more=[bytes(256 * KIB)] * self.random.choice([0, 4]))))

    def messages_without_an_end(self):
        sizes = [0, 1, 34, 100, 4000, 100 * KIB, 1000 * KIB]
        with self.connections() as speakers:
            size = {speaker: self.random.choice(sizes) for speaker in speakers}

            def part(speaker):
                chosen = size.setdefault(speaker, self.random.choice(sizes))
                count = max(1, min(200, 100_000 // (chosen + 1)))
                return b"".join(speaker.bytes(bytes(chosen), more=True) for _ in range(count))

            self.pour(speakers, part)

    def messages_in_frames_of_commands(self):
        """Over CURVE the bit of a command says nothing about what is in the box."""
        def part(speaker):
            sealed = bytearray(speaker.bytes(bytes(100 * KIB), more=True))
            sealed[0] |= COMMAND
            return bytes(sealed)

        with self.connections() as speakers:
            self.pour(speakers, part)

    def frames_in_drops(self):
        """Of a message without an end, each in a reading of its own: libzmq keeps a buffer for each."""
        with self.connections() as speakers:
            while self.goes_on and speakers:
                for speaker in list(speakers):
                    try:
                        speaker.socket.send(speaker.bytes(bytes(40), more=True))
                    except BlockingIOError:
                        pass
                    except OSError:
                        speakers.remove(speaker)

    def messages_of_very_many_frames(self):
        with self.connections(4) as speakers:
            def message(speaker):
                return speaker.message([b"KTHC01"] + [b"x" * self.random.choice([1, 40, 1000])] * self.random.choice([11, 1000, 3000]))

            self.pour(speakers, message)

    def frames_that_are_too_large(self):
        with self.connections(4) as speakers:
            self.pour(speakers, lambda speaker: speaker.bytes(bytes(1100 * KIB)))

    def subscribers_that_do_not_read(self):
        topics = [b"", b"j/", b"p/", b"j/!head/", b"p/contacts/", b"j/" + bytes(60), bytes(2000), b"j/x" * 200]
        with self.connections(endpoint=self.events, kind=b"SUB") as speakers:
            self.pour(speakers, lambda speaker: b"".join(
                speaker.bytes(self.random.choice([b"\1", b"\1", b"\0"]) + self.random.choice(topics)) for _ in range(100)))

    def subscribers_of_what_nobody_has(self):
        with self.connections(endpoint=self.events, kind=b"SUB") as speakers:
            size = self.random.choice([8, 64, 1500, 500 * KIB])
            self.pour(speakers, lambda speaker: speaker.bytes(b"\1" + os.urandom(size)))

    def subscribers_again_and_again(self):
        with self.connections(4, endpoint=self.events, kind=b"SUB") as speakers:
            self.pour(speakers, lambda speaker: speaker.bytes(b"\1j/sync/") + speaker.bytes(b"\0j/sync/"))

    def subscribers_that_send_messages(self):
        with self.connections(8, endpoint=self.events, kind=b"XSUB") as speakers:
            self.pour(speakers, lambda speaker: speaker.message([bytes(self.random.choice([0, 10, 200 * KIB]))] * 3))

    def messages_between_subscriptions(self):
        """For which libzmq once gave the next subscription to another connection, or to one that had gone: see decision 44."""
        while self.goes_on:
            with contextlib.closing(self.connect(self.events, b"SUB")) as gone, \
                    contextlib.closing(self.connect(self.events, b"SUB")) as own, \
                    contextlib.closing(self.connect(self.events, b"XSUB")) as loud:
                loud.socket.sendall(loud.bytes(b"\0") * (10 if loud.box else 5000) + loud.bytes(b"\2user"))
                own.socket.sendall(own.bytes(b"\1j/!head/"))
                gone.socket.sendall(gone.bytes(b"\1"))
                gone.close()
                while select.select([own.socket], [], [], 0.2)[0]:
                    if (topic := own.receive()[0]) != b"j/!head/":
                        self.faults.append(f"a subscriber of j/!head/ got {topic}")

    # MARK: Connections

    def all_places(self):
        with self.connections(80) as speakers, self.connections(140, endpoint=self.events, kind=b"SUB") as others:
            # It says nothing: places are what it takes.
            self.sent += len(speakers) + len(others)
            while self.goes_on and (speakers or others):
                time.sleep(0.1)

    def comings_and_goings(self):
        while self.goes_on:
            with contextlib.suppress(OSError, AssertionError):
                speaker = self.connect()
                with contextlib.suppress(OSError):
                    speaker.socket.setblocking(False)
                    speaker.socket.send(b"".join(speaker.message(large_ping(1000)) for _ in range(200)))
                speaker.tear()

    def half_a_handshake(self):
        made = []
        while self.goes_on:
            with contextlib.suppress(OSError, AssertionError):
                half = self.dial(self.control, 2)
                half.sendall(greeting(self.random.choice([b"CURVE", b"NULL", b"PLAIN"]))[:self.random.choice([5, 11, 64])])
                made.append(half)
            if len(made) > 40:
                made.pop(0).close()
            time.sleep(0.01)
        for half in made:
            half.close()

    def torn_in_a_flood(self):
        """With libzmq's own PINGs between messages: see decision 30."""
        while self.goes_on:
            with self.connections(3) as speakers:
                for speaker in speakers:
                    with contextlib.suppress(OSError):
                        part = speaker.message(large_ping(self.random.choice([10, 10_000]))) + speaker.ping(self.random.choice([0, 1]))
                        speaker.socket.send(part * 1 if speaker.box else part * 300)
                        for _ in range(100 if speaker.box else 0):
                            speaker.socket.send(speaker.message(request()) + speaker.ping())
                for speaker in speakers:
                    speaker.tear()

    def names_of_others(self):
        """Routing ids that are taken, reserved, empty, long, or what the hub might choose next."""
        names = [b"", b"same", b"same", b"\0", b"\0\0\0\0\1", b"\0" + os.urandom(4), b"x" * 255, b"\1", b"good-client"]
        made = []
        while self.goes_on:
            with contextlib.suppress(OSError, AssertionError):
                speaker = self.connect(identity=self.random.choice(names))
                name = str(uuid.uuid4())
                made.append((speaker, name))
                speaker.socket.sendall(speaker.message(request(header={"requestId": name})))
            if len(made) > 20:
                self.read_own(*made.pop(0))
            time.sleep(0.005)
        for speaker, name in made:
            self.read_own(speaker, name)

    def read_own(self, speaker, name):
        """Reads what has come by a connection, which is about one request alone, and tears it off."""
        with contextlib.suppress(OSError):
            while select.select([speaker.socket], [], [], 0)[0]:
                if (answered := json.loads(speaker.receive()[4]).get("requestId")) != name:
                    self.faults.append(f"an answer to {answered} came to the connection that sent {name}")
        speaker.tear()

    # MARK: Words

    def garbage(self):
        garbage = Garbage(self.random.randrange(1 << 30))
        with self.connections(8) as speakers:
            self.pour(speakers, lambda speaker: speaker.message(garbage.message()))

    def noise(self):
        while self.goes_on:
            with contextlib.suppress(OSError):
                raw = self.dial(self.random.choice([self.control, self.events]), 1)
                with contextlib.closing(raw):
                    raw.sendall(self.random.choice([b"", greeting(b"NULL")]) + self.random.randbytes(self.random.choice([1, 64, 5000])))
            time.sleep(0.005)

    def times_out_of_range(self):
        headers = [{"timeoutMs": 2**32 - 1}, {"timeoutMs": 1}, {"deadline": "9999-12-31T23:59:59Z"}, {"deadline": "0001-01-01T00:00:00Z"},
                   {"deadline": "1969-12-31T23:59:59.999999999Z"}, {"idempotencyKey": "k" * 65}]
        bodies = [("Contacts/List", b'{"limit":4294967295}'), ("System/Replay", b'{"stream":"sync","afterSeq":"18446744073709551615"}'),
                  ("Care/List", b'{"from":"9999-12-31T23:59:59.999999999Z"}'), ("People/List", b'{"limit":4294967295}'),
                  ("System/BlobGet", b'{"sha256":"' + b"0" * 64 + b'","offset":"18446744073709551615"}')]
        with self.connections(4) as speakers:
            self.pour(speakers, lambda speaker: speaker.message(request(
                *self.random.choice(bodies), header={"requestId": str(uuid.uuid4()), **self.random.choice(headers)})))

    def what_a_viewer_may_not(self):
        """Uploads that are given up, paths, keys, the commands of others: refused, whatever is in them."""
        digest = os.urandom(32).hex()
        tries = [("System/BlobOpen", {"blob": {"sha256": digest, "size": str(512 << 20)}}), ("System/BlobPut", {"sha256": digest}),
                 ("Contacts/AddSource", {"name": "x", "vdir": "/etc"}), ("Channels/Add", {"name": "x", "ntfy": {"url": "http://127.0.0.1/"}}),
                 ("System/Backup", {}), ("Keys/List", {}), ("Keys/Approve", {"publicKeyZ85": "0" * 40, "name": "x", "role": "admin"}),
                 ("Care/Record", {"text": "x"}), ("Monica/Login", {"endpoint": "file:///etc/passwd", "token": "x"})]
        speaker = self.connect()
        with contextlib.closing(speaker.socket):
            while self.goes_on:
                method, body = self.random.choice(tries)
                name = str(uuid.uuid4())
                speaker.socket.sendall(speaker.message(request(method, json.dumps(body).encode(), header={"requestId": name})))
                header = json.loads(speaker.receive()[4])
                if header.get("requestId") != name or header.get("status", {}).get("code") not in (
                        "PERMISSION_DENIED", "UNIMPLEMENTED", "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"):
                    self.faults.append(f"{method} of a viewer was answered {header}")

    def cancels_of_others(self):
        speaker = self.connect()
        with contextlib.closing(speaker.socket):
            while self.goes_on:
                speaker.socket.sendall(speaker.message(request("System/Cancel", b'{"requestId":"good"}')))
                frames = speaker.receive()
                if json.loads(frames[5] or b"{}").get("cancelled"):
                    self.faults.append("a command of another principal was cancelled")

    @classmethod
    def names(cls):
        return [name for name, kind in vars(cls).items() if callable(kind) and not name.startswith("_")
                and name not in ("connect", "dial", "connections", "pour", "read_own", "names", "attack")]

    def attack(self, name, seconds):
        self.over = time.monotonic() + seconds
        try:
            getattr(self, name)()
            return
        except (OSError, AssertionError):
            # It was cut, or not let in.
            pass
        except Exception:
            self.faults.append(f"{name} itself failed: {traceback.format_exc()}")
        time.sleep(max(0, min(0.2, self.over - time.monotonic())))
