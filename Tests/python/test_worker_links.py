"""Large bodies between a hub and a worker over a link that is slow: they arrive, and not many bytes go twice."""
import base64
import contextlib
import os
import socket
import threading
import time

import pytest

from trials import contacts
from workers import Worker, home, one_effect, recording  # noqa: F401

# Bytes, and bytes a second: a piece takes longer than the first wait for a sign of it.
PIECE, RATE = 256 << 10, 70_000


class SlowLink:
    """A socket that stands before another one; each direction has its own rate."""

    def __init__(self, path, target):
        self.path, self.target = str(path), str(target)
        self.carried = {"up": 0, "down": 0}
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.sockets = [self.listener]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, far = self.listener.accept()[0], socket.socket(socket.AF_UNIX)
                far.connect(self.target)
                for end in (near, far):
                    # What lies in the buffers of the kernel does not count as sent.
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_000)
                    self.sockets.append(end)
                for source, target, way in ((near, far, "up"), (far, near, "down")):
                    threading.Thread(target=self.carry, args=(source, target, way), daemon=True).start()

    def carry(self, source, target, way):
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                time.sleep(len(data) / RATE)
                self.carried[way] += len(data)
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def remove(self):
        for end in self.sockets:
            end.close()


def card(number, photo):
    return (f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:card-{number}\r\nFN:Given{number}\r\nN:;Given{number};;;\r\n"
            f"PHOTO;ENCODING=b;TYPE=JPEG:{base64.b64encode(photo).decode()}\r\nEND:VCARD\r\n").encode()


@pytest.mark.waits
def test_a_recording_and_pictures_come_over_a_slow_link(home):
    link, began = SlowLink(home.directory / "slow", f"{home.runtime}/work.sock"), time.monotonic()
    try:
        worker = Worker(home, "transcriber,contacts", "far", reach=("--hub", f"ipc://{link.path}"))
        home.workers.append(worker.start())
        home.with_workers("far")
        sound = recording(home.directory / "long.wav", seconds=20).read_bytes()
        record = home.reply("Care/StartVoice", {"category": "medication", "language": "en-US"})["record"]
        for offset in range(0, len(sound), PIECE):
            home.reply("Care/AppendVoice", {"id": record["id"], "offset": str(offset)},
                       attachments=[sound[offset:offset + PIECE]])
        home.reply("Care/StopVoice", {"id": record["id"]})
        home.settled(record["id"])
        one_effect(home, record["id"], attempts=1)

        (home.directory / "cards").mkdir()
        pictures = [b"\xff\xd8\xff\xe0" + os.urandom(250_000) for _ in range(3)]
        for number, picture in enumerate(pictures):
            (home.directory / "cards" / f"{number}.vcf").write_bytes(card(number, picture))
        home.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(home.directory / "cards")}})
        home.kith("contacts", "sync")
        assert len(contacts(home, "home")) == 3
        (state, attempt), = {(job["state"], job["attempt"]) for job in home.jobs("kith.v1.ContactsSource/Fetch")}
        assert (state, attempt) == ("done", 1)
        # What was on its way when the first wait was over goes twice, and on a slow machine once more when the next one is.
        for way, size in (("down", len(sound)), ("up", sum(map(len, pictures)))):
            print(f"{link.carried[way]} bytes {way} for {size}")
            assert size < link.carried[way] < (2.2 if time.monotonic() - began < 40 else 5) * size
    finally:
        link.remove()
