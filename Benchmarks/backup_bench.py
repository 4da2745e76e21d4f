#!/usr/bin/env python3
"""Times a backup of a household: how long it takes, and how long a command waits meanwhile.

usage: backup_bench.py KITHD CARDS [ROUNDS]

CARDS is a folder of vCards. EVENTS (100000) is the number of events in the store. Prints a table in Markdown.
"""
import json
import os
import pathlib
import sys
import threading
import time
import uuid

import zmq

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests" / "python"))
os.environ["KITH_BIN_DIR"] = str(pathlib.Path(sys.argv[1]).resolve().parent)

from conftest import Hub  # noqa: E402

EVENTS, FLIGHT = int(os.environ.get("EVENTS", 100_000)), 64


def send(socket, method, body):
    header = json.dumps({"requestId": uuid.uuid4().hex}).encode()
    socket.send_multipart([b"KTHC01", b"\x01", method.encode(), b"json", header, json.dumps(body).encode()])


def answer(socket):
    while True:
        assert socket.poll(60_000), "no answer"
        frames = socket.recv_multipart()
        if frames[1] == b"\x03":
            header = json.loads(frames[4])
            assert "status" not in header, header
            return json.loads(frames[5] or b"{}")


def connect(hub):
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.linger, socket.immediate = 0, 1
    socket.connect(hub.control)
    return socket


def fill(hub, cards):
    """Contacts from the cards, then entries of care until there are so many events."""
    hub.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(cards)}})
    hub.reply("Contacts/Sync", {"source": "home"}, timeout=600)
    contacts = hub.reply("System/Status")["storage"]["contacts"]
    missing = EVENTS - sum(hub.seq(stream) for stream in ("contacts", "care", "sync"))
    socket, sent, done = connect(hub), 0, 0
    while done < missing:
        while sent < missing and sent - done < FLIGHT:
            send(socket, "kith.v1.Care/Record", {"category": "meal", "memo": f"Porridge, bowl {sent}"})
            sent += 1
        answer(socket)
        done += 1
    socket.close()
    return contacts


def waits(hub, stopped, found):
    """How long each command waits: one that is read, one that is stored."""
    socket = connect(hub)
    while not stopped.is_set():
        for method, body in ("System/Ping", {}), ("Care/Record", {"category": "meal", "memo": "meanwhile"}):
            begin = time.monotonic()
            send(socket, f"kith.v1.{method}", body)
            answer(socket)
            found[method].append(time.monotonic() - begin)
        time.sleep(0.002)
    socket.close()


def main():
    cards, rounds = pathlib.Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 5
    hub = Hub()
    try:
        hub.start()
        contacts = fill(hub, cards)
        hub.end()
        with open(hub.directory / "config.toml", "a") as file:
            file.write(f'[backup]\nfolder = "{hub.directory}/backups"\nat = "00:00"\n')
        hub.start()
        took, found = [], {"System/Ping": [], "Care/Record": []}
        # The first one is made at the start; this one waits for it.
        hub.reply("Backups/Make", timeout=600)
        for _ in range(rounds):
            stopped = threading.Event()
            clients = threading.Thread(target=waits, args=(hub, stopped, found))
            clients.start()
            begin = time.monotonic()
            made = hub.reply("Backups/Make", timeout=600)
            took.append(time.monotonic() - begin)
            stopped.set()
            clients.join()
        took.sort()
        print(f"{contacts} contacts, {EVENTS} events, a backup of {int(made['size']) >> 20} MiB\n")
        print("| | measured | goal |\n| --- | --- | --- |")
        print(f"| a backup, s | {took[len(took) // 2]:.2f} ({took[0]:.2f}-{took[-1]:.2f}) | < 5 |")
        for method, all_waits in found.items():
            print(f"| longest wait of {len(all_waits)} {method} meanwhile, ms | {max(all_waits) * 1000:.1f} | < 100 |")
        hub.end()
    finally:
        hub.remove()


if __name__ == "__main__":
    main()
