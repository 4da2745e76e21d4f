"""A peer of the role viewer that tries to end, starve, fill or impersonate the hub, and a good client beside it.

    attacker.py [--seconds 30] [--seed 1] [--over tcp,ipc] [--wait 0.5] [--memory 64] [--only NAME,...] [--list]

Starts a kithd of its own (KITH_BIN_DIR as for the tests), attacks it for so long over tcp with an approved key and over ipc as another
user where it may become one (as root), and looks all the time whether

* the hub lives,
* Ping and an ordinary command of a good client are answered within --wait seconds,
* the hub's anonymous memory stays within --memory MiB of what it was,
* no answer or event of anybody else reaches the attacker, and nothing that needs another role is done for it.

The attacks follow from the seed: in rounds of two seconds, three at a time. Ends with 0 when all held, and prints numbers and, of a
fault, the round that it fell into.
"""
import _strptime  # noqa: F401  Imported late by others, when this process is another user and may not read it.
import argparse
import contextlib
import json
import multiprocessing
import os
import pathlib
import random
import re
import sys
import threading
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from conftest import Wire  # noqa: E402
from garbage import Garbage  # noqa: E402
from keyed import CurveWire, Key, TCPHub  # noqa: E402
from zmtp import Speaker, greeting  # noqa: E402

NOBODY = 65534
ROUND = 2.0
AT_ONCE = 3
CONNECTIONS = 24
KIB = 1 << 10


def request(method="System/Ping", body=b"{}", header=None, ctype=b"json", more=()):
    header = header or {"requestId": str(uuid.uuid4())}
    return [b"KTHC01", b"\x01", f"kith.v1.{method}".encode(), ctype, json.dumps(header).encode(), body, *more]


def large_ping(size=240 * KIB):
    """A ping in protobuf with so many bytes to be sent back."""
    length = bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14])
    frames = request(body=b"\x0a" + length + bytes(size), ctype=b"pb")
    frames[4] = b"\x0a\x08" + os.urandom(4).hex().encode()
    return frames


class Attacker:
    """One way in, and what is tried by it. Each attack goes on until its time is over."""

    def __init__(self, control, events, seed, **way):
        self.control, self.events, self.way = control, events, way
        self.random = random.Random(seed)
        self.over = 0.0
        # What must not happen, in words.
        self.faults = []

    def connect(self, endpoint=None, kind=b"DEALER", identity=b""):
        return Speaker(endpoint or self.control, kind, identity=identity, timeout=2, **self.way)

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
                with contextlib.suppress(OSError, AssertionError):
                    speakers.append(self.connect(**options))
                    speakers[-1].socket.setblocking(False)
            yield speakers
        finally:
            for speaker in speakers:
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

    def subscribers_that_send_messages(self):
        with self.connections(8, endpoint=self.events, kind=b"XSUB") as speakers:
            self.pour(speakers, lambda speaker: speaker.message([bytes(self.random.choice([0, 10, 200 * KIB]))] * 3))

    # MARK: Connections

    def all_places(self):
        with self.connections(80) as speakers, self.connections(140, endpoint=self.events, kind=b"SUB") as others:
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
                half = Speaker.dial(self.control, 2)
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
                made.append(self.connect(identity=self.random.choice(names)))
                made[-1].socket.sendall(made[-1].message(request()))
            if len(made) > 20:
                made.pop(0).tear()
            time.sleep(0.005)
        for speaker in made:
            speaker.tear()

    # MARK: Words

    def garbage(self):
        garbage = Garbage(self.random.randrange(1 << 30))
        with self.connections(8) as speakers:
            self.pour(speakers, lambda speaker: speaker.message(garbage.message()))

    def noise(self):
        while self.goes_on:
            with contextlib.suppress(OSError):
                raw = Speaker.dial(self.random.choice([self.control, self.events]), 1)
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
                and name not in ("connect", "connections", "pour", "names", "attack")]

    def attack(self, name, seconds):
        self.over = time.monotonic() + seconds
        try:
            getattr(self, name)()
        except (OSError, AssertionError):
            # It was cut, or not let in.
            time.sleep(max(0, min(0.2, self.over - time.monotonic())))


def attack(ways, names, seconds, seed, faults, user):
    """The process of the attacker."""
    if user is not None:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    chosen, end = random.Random(seed), time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        attackers = []
        for _ in range(AT_ONCE):
            attacker = Attacker(seed=chosen.randrange(1 << 30), **chosen.choice(ways))
            name = chosen.choice(names)
            attackers.append((attacker, name))
        faults.put((number, [name for _, name in attackers], None))
        threads = [threading.Thread(target=each.attack, args=(name, ROUND), daemon=True) for each, name in attackers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for attacker, name in attackers:
            for fault in attacker.faults:
                faults.put((number, [name], fault))
        number += 1
    faults.close()
    faults.join_thread()
    # Without cleaning up what the user that it was has made.
    os._exit(0)


class GoodClient(threading.Thread):
    """Asks on one connection, and notes how long it waited."""

    def __init__(self, make):
        super().__init__(daemon=True)
        self.make, self.waits, self.faults, self.ends = make, [], [], threading.Event()

    def run(self):
        wire = self.make()
        number = 0
        try:
            while not self.ends.wait(0.02):
                number += 1
                method = ("System/Ping", "Contacts/List", "System/Status")[number % 3]
                begin = time.monotonic()
                name = str(uuid.uuid4())
                wire.send(f"kith.v1.{method}", header={"requestId": name})
                while True:
                    frames = wire.receive(20)
                    if frames is None:
                        self.faults.append(f"{method} was not answered within 20 s")
                        return
                    header = json.loads(frames[4])
                    if header["requestId"] != name:
                        self.faults.append("an answer to somebody else came")
                    elif frames[1] == b"\x03":
                        break
                if "status" in header:
                    self.faults.append(f"{method}: {header['status']}")
                self.waits.append((time.monotonic() - begin, time.monotonic(), method))
        except Exception as fault:  # A fault of the trial is one too.
            self.faults.append(repr(fault))
        finally:
            wire.socket.close(0)


def memory(hub):
    """Anonymous memory of the hub in MiB."""
    text = pathlib.Path(f"/proc/{hub.process.pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+)", text)[1]) / 1024


class Trial:
    """A hub under attack."""

    def __init__(self, seconds, seed, over=("tcp", "ipc"), names=None, wait=0.5, growth=64):
        self.seconds, self.seed, self.over, self.wait, self.growth = seconds, seed, over, wait, growth
        self.names = names or Attacker.names()
        self.faults, self.rounds = [], []
        self.peak = self.longest = 0.0

    def run(self):
        becomes = NOBODY if os.geteuid() == 0 and "ipc" in self.over else None
        hub = TCPHub(f'[users]\n{NOBODY} = "viewer"\n')
        try:
            hub.directory.chmod(0o755)
            hub.start()
            self.attack(hub, becomes)
            if hub.process.poll() is None and hub.end() != 0:
                self.faults.append("SIGTERM did not end the hub with 0")
        finally:
            hub.remove()
        return self

    def attack(self, hub, becomes):
        bad, good = Key(), Key()
        hub.approve(bad, "bad")
        hub.approve(good, "good")
        server_key = hub.server_key.encode()
        ways = {"tcp": dict(control=hub.tcp(), events=hub.tcp("events"), server_key=server_key, key=bad),
                "ipc": dict(control=hub.control, events=hub.events)}
        clients = [GoodClient(lambda: Wire(hub.control)), GoodClient(lambda: CurveWire(hub, good, server_key=server_key.decode()))]
        for client in clients:
            client.start()
        time.sleep(1)
        before = memory(hub)
        begin = time.monotonic()
        told = multiprocessing.get_context("spawn").Queue()
        process = multiprocessing.get_context("spawn").Process(target=attack, args=(
            [ways[way] for way in self.over], self.names, self.seconds, self.seed, told, becomes))
        process.start()
        try:
            while process.is_alive() and hub.process.poll() is None:
                self.look(hub, before, told, begin)
                time.sleep(0.05)
            self.look(hub, before, told, begin)
        finally:
            if process.is_alive():
                process.terminate()
            process.join()
        for client in clients:
            client.ends.set()
        for client in clients:
            client.join(25)
            self.faults += client.faults
            for wait, at, method in client.waits:
                self.longest = max(self.longest, wait)
                if wait > self.wait:
                    self.faults.append(f"{method} took {wait:.2f} s, {at - begin:.1f} s after the start, in {self.during(at - begin)}")
        self.waits = sorted(wait for client in clients for wait, _, _ in client.waits)
        if hub.process.poll() is not None:
            lines = [line for line in hub.log.read_text(errors="replace").splitlines() if "ssertion" in line or "rash" in line]
            self.faults.append(f"the hub ended with {hub.process.poll()}: {lines[:3]}, in {self.rounds[-1:]}")

    def look(self, hub, before, told, begin):
        while not told.empty():
            number, names, fault = told.get()
            if fault is not None:
                self.faults.append(f"round {number}: {fault}")
            else:
                self.rounds.append((time.monotonic() - begin, names))
        if hub.process.poll() is not None:
            return
        grown = memory(hub) - before
        if grown > self.growth and self.peak <= self.growth:
            self.faults.append(f"memory grew by {grown:.0f} MiB in {self.rounds[-1:]}")
        self.peak = max(self.peak, grown)

    def during(self, moment):
        return next((names for at, names in reversed(self.rounds) if at <= moment), [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--over", default="tcp,ipc")
    parser.add_argument("--wait", type=float, default=0.5)
    parser.add_argument("--memory", type=float, default=64)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(Attacker.names()))
        return 0
    names = options.only.split(",") if options.only else None
    trial = Trial(options.seconds, options.seed, options.over.split(","), names, options.wait, options.memory).run()
    count = len(trial.waits)
    print(f"{len(trial.rounds)} rounds, seed {options.seed}; the good clients asked {count} times and waited {trial.longest:.3f} s at most, "
          f"{trial.waits[count * 99 // 100]:.3f} s for 99 %; memory grew by {trial.peak:.1f} MiB at most")
    for fault in trial.faults:
        print("FAULT:", fault)
    return 1 if trial.faults else 0


if __name__ == "__main__":
    sys.exit(main())
