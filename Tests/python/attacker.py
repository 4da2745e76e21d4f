"""A peer of the role viewer that tries to end, starve, fill or impersonate the hub, and a good client beside it.

    attacker.py [--seconds 30] [--seed 1] [--over tcp,ipc] [--wait 0.5] [--memory 64] [--only NAME,...] [--list]

Starts a kithd of its own (KITH_BIN_DIR as for the tests), attacks it for so long over tcp with three approved keys and over ipc as
another user where it may become one (as root), and looks all the time whether

* the hub lives,
* Ping and an ordinary command of a good client are answered within --wait seconds,
* a good subscriber that connects every second gets HEAD as fast, and nothing else,
* the hub's anonymous memory stays within --memory MiB of what it was,
* nothing that needs another role is done for the attacker, and where it reads, it gets no answer to another connection and no topic
  that it did not subscribe to.

The attacks follow from the seed: in rounds of two seconds, three at a time, each as often as the others. One that has sent nothing in
the end is tried by itself, and is a fault if it still cannot. Ends with 0 when all held, and prints numbers and, of a fault, the
round that it fell into.
"""
import _strptime  # noqa: F401  Imported late by others, when this process is another user and may not read it.
import argparse
import collections
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

import zmq

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from attacks import Attacker  # noqa: E402
from conftest import Wire  # noqa: E402
from keyed import CurveWire, Key, TCPHub  # noqa: E402

NOBODY = 65534
ROUND = 2.0
AT_ONCE = 3
# Of the attacker. Each has a share of the places, and all of them leave room for others.
KEYS = 3
# An attack that could send nothing is tried by itself, for so many rounds each time and as patiently, on a machine that is slow.
TRIES = (1, 1, 3, 5)


def attack(ways, names, seconds, seed, told, user):
    """The process of the attacker. Tells of each round (number, attacks, faults, bytes sent by each attack), first without the last two."""
    if user is not None:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    chosen, end = random.Random(seed), time.monotonic() + seconds
    number, deck, sent = 0, [], collections.Counter()

    def play(names, patience=1):
        nonlocal number
        attackers = [(Attacker(seed=chosen.randrange(1 << 30), patience=patience, **chosen.choice(ways)), name) for name in names]
        told.put((number, names, None, None))
        threads = [threading.Thread(target=each.attack, args=(name, ROUND * patience), daemon=True) for each, name in attackers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for each, name in attackers:
            sent[name] += each.sent
            told.put((number, [name], each.faults, each.sent))
        number += 1

    while time.monotonic() < end:
        while len(deck) < AT_ONCE:
            deck += chosen.sample(names, len(names))
        play([deck.pop(0) for _ in range(AT_ONCE)])
    for name in [name for name, count in sent.items() if count == 0]:
        for patience in TRIES:
            if sent[name] == 0:
                play([name], patience)
    told.close()
    told.join_thread()
    # Without cleaning up what the user that it was has made.
    os._exit(0)


class GoodClient(threading.Thread):
    """Asks on one connection, and notes how long it waited."""

    def __init__(self, make):
        super().__init__(daemon=True)
        self.make, self.waits, self.faults, self.ends = make, [], [], threading.Event()

    def run(self):
        try:
            with self.make() as wire:
                self.ask(wire)
        except Exception as fault:  # A fault of the trial is one too.
            self.faults.append(repr(fault))

    def ask(self, wire):
        number = 0
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


class GoodSubscriber(GoodClient):
    """Comes every second, and notes how long it waited for HEAD."""

    def run(self):
        try:
            while not self.ends.wait(1):
                self.listen()
        except Exception as fault:  # A fault of the trial is one too.
            self.faults.append(repr(fault))

    def listen(self):
        begin = time.monotonic()
        with self.make() as wire:
            frames = wire.receive(20)
        if frames is None:
            self.faults.append("a subscriber got no HEAD within 20 s")
        elif frames[0] != b"j/!head/":
            self.faults.append(f"a subscriber of j/!head/ got {frames[0]}")
        else:
            self.waits.append((time.monotonic() - begin, time.monotonic(), "HEAD"))


def local_subscriber(hub):
    wire = Wire(hub.events, zmq.SUB)
    wire.socket.subscribe(b"j/!head/")
    return wire


def memory(hub):
    """Anonymous memory of the hub in MiB."""
    text = pathlib.Path(f"/proc/{hub.process.pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+)", text)[1]) / 1024


class Trial:
    """A hub under attack."""

    def __init__(self, seconds, seed, over=("tcp", "ipc"), names=None, wait=0.5, growth=64):
        self.seconds, self.seed, self.over, self.wait, self.growth = seconds, seed, over, wait, growth
        self.names = names or Attacker.names()
        self.faults, self.rounds, self.sent = [], [], collections.Counter()
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

    def keys(self, hub):
        """Keys of the attacker."""
        keys = [Key() for _ in range(KEYS)]
        for number, key in enumerate(keys):
            hub.approve(key, f"bad-{number}")
        return keys

    def attack(self, hub, becomes):
        bad, good = self.keys(hub), Key()
        hub.approve(good, "good")
        server_key = hub.server_key
        ways = {"tcp": [dict(control=hub.tcp(), events=hub.tcp("events"), server_key=server_key.encode(), key=key) for key in bad],
                "ipc": [dict(control=hub.control, events=hub.events)] * KEYS}
        subscribes = dict(plane="events", kind=zmq.SUB, topics=[b"j/!head/"])
        clients = [GoodClient(lambda: Wire(hub.control)), GoodClient(lambda: CurveWire(hub, good, server_key=server_key)),
                   GoodSubscriber(lambda: local_subscriber(hub)),
                   GoodSubscriber(lambda: CurveWire(hub, good, server_key=server_key, **subscribes))]
        for client in clients:
            client.start()
        time.sleep(1)
        before = memory(hub)
        begin = time.monotonic()
        told = multiprocessing.get_context("spawn").Queue()
        process = multiprocessing.get_context("spawn").Process(target=attack, args=(
            [way for name in self.over for way in ways[name]], self.names, self.seconds, self.seed, told, becomes))
        process.start()
        try:
            while process.is_alive() and hub.process.poll() is None and time.monotonic() < begin + self.seconds + 300:
                self.look(hub, before, told, begin)
                time.sleep(0.05)
            self.look(hub, before, told, begin)
            if hub.process.poll() is None:
                self.judge(process)
        finally:
            if process.is_alive():
                process.terminate()
            process.join()
        for client in clients:
            client.ends.set()
        for client in clients:
            client.join(60)
            self.faults += client.faults
            if not client.waits:
                self.faults.append(f"a {type(client).__name__} was never answered")
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
            number, names, faults, sent = told.get()
            if faults is None:
                self.rounds.append((time.monotonic() - begin, names))
            else:
                self.faults += [f"round {number}: {fault}" for fault in faults]
                self.sent[names[0]] += sent
        if hub.process.poll() is not None:
            return
        grown = memory(hub) - before
        if grown > self.growth and self.peak <= self.growth:
            self.faults.append(f"memory grew by {grown:.0f} MiB in {self.rounds[-1:]}")
        self.peak = max(self.peak, grown)

    def judge(self, process):
        """Whether there was an attack at all."""
        if process.exitcode != 0:
            self.faults.append(f"the attacker did not end, or with another code than 0: {process.exitcode}")
        if not self.rounds:
            self.faults.append("there was no round")
        self.faults += [f"{name} sent nothing" for name, sent in self.sent.items() if sent == 0]

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
    most = trial.waits[count * 99 // 100] if count else 0
    print(f"{len(trial.rounds)} rounds of {len(trial.sent)} attacks, seed {options.seed}; the good clients were answered {count} times and waited "
          f"{trial.longest:.3f} s at most, {most:.3f} s for 99 %; memory grew by {trial.peak:.1f} MiB at most")
    for fault in trial.faults:
        print("FAULT:", fault)
    return 1 if trial.faults else 0


if __name__ == "__main__":
    sys.exit(main())
