"""Messages as nobody should send them: valid requests, mutated by a seed."""
import json
import random
import struct

from google.protobuf import json_format

from messages import SERVICES, TYPES

REQUESTS = {
    "kith.v1.System/Ping": {"echo": "AAECAw=="},
    "kith.v1.System/Hello": {"clientName": "trial", "minorMax": 3, "features": ["a", "b"]},
    "kith.v1.System/Status": {},
    "kith.v1.System/Services": {},
    "kith.v1.System/Cancel": {"requestId": "nobody"},
    "kith.v1.System/Snapshot": {"stream": "sync", "limit": 100},
    "kith.v1.System/Replay": {"stream": "contacts", "afterSeq": "0", "limit": 100},
    "kith.v1.System/BlobOpen": {"blob": {"sha256": "ab" * 32, "size": "70000"}},
    "kith.v1.System/BlobPut": {"sha256": "ab" * 32, "offset": "0"},
    "kith.v1.System/BlobGet": {"sha256": "cd" * 32, "offset": "0", "length": 100},
    "kith.v1.Contacts/List": {"limit": 5},
    "kith.v1.Contacts/Get": {"id": "01890000-0000-7000-8000-000000000000"},
    "kith.v1.Contacts/Search": {"text": "an", "limit": 5},
    "kith.v1.Contacts/Problems": {"limit": 5},
    "kith.v1.Contacts/SyncStatus": {},
    "kith.v1.Contacts/ListSources": {},
    "kith.v1.Contacts/AddSource": {"name": "home", "vdir": {"path": "/nowhere"}},
    "kith.v1.Contacts/RemoveSource": {"name": "nobody"},
    "kith.v1.Contacts/TestSource": {"name": "home"},
    "kith.v1.Contacts/Restore": {"id": "01890000-0000-7000-8000-000000000001"},
    "kith.v1.People/Create": {"record": {"firstName": "Ann", "birthday": "--02-29", "tags": ["family"]}},
    "kith.v1.People/List": {"limit": 5, "tag": "family"},
    "kith.v1.People/Search": {"text": "an", "limit": 5},
    "kith.v1.People/Update": {"record": {"id": "01890000-0000-7000-8000-000000000002", "job": "x"}, "fields": ["job"]},
    "kith.v1.Notes/Create": {"record": {"personId": "01890000-0000-7000-8000-000000000002", "body": "a note"}},
    "kith.v1.Tags/List": {"limit": 5},
    "kith.v1.Calls/Log": {"record": {"personId": "01890000-0000-7000-8000-000000000002", "emotion": "happy"}},
    "kith.v1.Calls/List": {"limit": 5, "filter": {"emotion": "happy", "from": "2026-01-01T00:00:00Z"}},
    "kith.v1.Calls/Search": {"text": "garden"},
    "kith.v1.Calls/Timeline": {"limit": 5, "timeZone": "Asia/Tokyo"},
    "kith.v1.Calls/Stats": {"filter": {"tag": "family"}},
    "kith.v1.Calls/Stop": {"note": "nothing runs"},
    "kith.v1.Monica/Queue": {"limit": 5, "state": "pending"},
    "kith.v1.Monica/Status": {},
}
HEADER = TYPES["kith.v1.RequestHeader"]
KIB = 1024


class Garbage:
    """Yields messages for the control plane and for the events plane."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.number = 0
        self.mutations = [
            self.flip, self.flip, self.drop, self.add, self.swap, self.double, self.cut, self.tag, self.count, self.empty,
            self.deep, self.delimiters, self.splice, self.bytes, self.value, self.header, self.service,
        ]

    def valid(self):
        """The frames of a request that nothing is wrong with."""
        self.number += 1
        service = self.random.choice(list(REQUESTS))
        body = REQUESTS[service]
        header = {"requestId": f"garbage-{self.number}", "timeoutMs": 5000}
        if self.random.random() < 0.5:
            ctype, texts = b"json", (json.dumps(header).encode(), json.dumps(body).encode())
        else:
            message = json_format.ParseDict(body, TYPES[SERVICES[service].input_type.full_name]())
            texts = json_format.ParseDict(header, HEADER()).SerializeToString(), message.SerializeToString()
            ctype = b"pb"
        frames = [b"KTHC01", b"\x01", service.encode(), ctype, *texts]
        if service.endswith("BlobPut"):
            frames.append(self.random.randbytes(self.random.choice([0, 100, 10 * KIB])))
        return frames

    def message(self):
        """The frames of a request with one to three things wrong."""
        frames = self.valid()
        for _ in range(self.random.choice([1, 1, 2, 3])):
            frames = self.random.choice(self.mutations)(frames) or [b""]
        if self.random.random() < 0.01:
            frames[self.random.randrange(len(frames))] = self.random.randbytes(self.random.randint(64 * KIB, 1024 * KIB))
        return frames

    def subscription(self):
        """One frame or more as a subscriber might send them (ZeroMQ RFC 29), or as none would."""
        topic = self.random.choice([b"", b"j/", b"p/", b"j/sync/", b"p/contacts/", b"j/!head/", b"k/", b"j/sync/x", b"!", b"\x00"])
        first = self.random.choice([b"\x01", b"\x01", b"\x00", b"\x02", b"\xff", b""])
        frame = first + topic + self.random.choice([b"", b"", self.random.randbytes(self.random.choice([1, 64, 2000]))])
        return [frame] * self.random.choice([1, 1, 1, 1, 2, 5])

    # One mutation each: frames in, frames out.

    def place(self, frames):
        return self.random.randrange(len(frames))

    def flip(self, frames):
        full = [place for place, frame in enumerate(frames) if frame]
        for _ in range(self.random.choice([1, 1, 4]) if full else 0):
            place = self.random.choice(full)
            bit = self.random.randrange(len(frames[place]) * 8)
            flipped = bytearray(frames[place])
            flipped[bit // 8] ^= 1 << bit % 8
            frames[place] = bytes(flipped)
        return frames

    def drop(self, frames):
        del frames[self.place(frames)]
        return frames

    def add(self, frames):
        frames.insert(self.random.randint(0, len(frames)), self.random.randbytes(self.random.choice([0, 1, 6, 300])))
        return frames

    def swap(self, frames):
        one, other = self.place(frames), self.place(frames)
        frames[one], frames[other] = frames[other], frames[one]
        return frames

    def double(self, frames):
        place = self.place(frames)
        return frames[: place + 1] + frames[place:]

    def cut(self, frames):
        place = self.place(frames)
        frames[place] = frames[place][: self.random.randint(0, len(frames[place]))]
        return frames

    def tag(self, frames):
        tags = [b"KTHC02", b"KTHC00", b"KTHC99", b"KTHE01", b"KTHW01", b"KTHC", b"KTH", b"kthc01", b"MDPC02", b"", b"\x00" * 6]
        return [self.random.choice(tags), *frames[1:]]

    def count(self, frames):
        return frames + [b"x" * self.random.choice([0, 1, 100])] * self.random.choice([4, 5, 6, 10, 50, 500])

    def empty(self, frames):
        return [b""] * self.random.choice([1, 2, 6, 11])

    def deep(self, frames):
        depth = self.random.choice([10, 16, 17, 100, 1000, 20000])
        text = self.random.choice([b"[" * depth, b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth])
        frames = (frames + [b""] * 6)[: max(6, len(frames))]
        frames[3], frames[self.random.choice([4, 5])] = b"json", text
        return frames

    def delimiters(self, frames):
        return [b""] * self.random.choice([1, 1, 2, 3]) + frames

    def splice(self, frames):
        other = self.valid()
        place = self.place(frames)
        return frames[:place] + other[place:]

    def bytes(self, frames):
        frames[self.place(frames)] = self.random.randbytes(self.random.choice([1, 2, 20, 200, 5 * KIB]))
        return frames

    def value(self, frames):
        """A value of a wrong kind or out of its range, in JSON; a length that lies, in pb."""
        if len(frames) < 6:
            return frames
        if frames[3] == b"json":
            value = self.random.choice([
                "null", "-1", "1e400", "99999999999999999999999", '"\\ud800"', "[]", "{}", '"x"', "true", "NaN", "0.5",
                '"' + "y" * 70000 + '"', '"2026-13-45T99:99:99Z"', "[" + "1," * 5000 + "1]"])
            field = self.random.choice([
                "limit", "stream", "afterSeq", "name", "vdir", "cursor", "text", "id", "blob", "sha256", "offset", "requestId",
                "timeoutMs", "deadline", "idempotencyKey", "unknown", "features", "sources"])
            frames[self.random.choice([4, 5])] = f'{{"requestId": "garbage-v{self.number}", "{field}": {value}}}'.encode()
        else:
            field = self.random.randint(1, 40) << 3
            frames[self.random.choice([4, 5])] += self.random.choice([
                bytes([field & 127 | 2]) + b"\xff\xff\xff\xff\x0f", bytes([field & 127]) + b"\xff" * 11,
                struct.pack("<BQ", field & 127 | 1, 2**64 - 1), bytes([field & 127 | 3]) * 200, b"\x00", b"\x0a\x7f"])
        return frames

    def header(self, frames):
        if len(frames) < 6:
            return frames
        header = self.random.choice([
            {"requestId": ""}, {}, {"requestId": "x" * 65}, {"requestId": "é" * 64}, {"requestId": "garbage-same"},
            {"requestId": "garbage-h", "idempotencyKey": "k" * 65}, {"requestId": "garbage-h", "timeoutMs": 1},
            {"requestId": "garbage-h", "deadline": "1999-01-01T00:00:00Z"}, {"requestId": "a\u0000b"},
            {"requestId": "garbage-h", "traceparent": "z" * 5000}])
        frames[3], frames[4] = b"json", json.dumps(header).encode()
        return frames

    def service(self, frames):
        if len(frames) >= 3:
            frames[2] = self.random.choice([
                b"", b"kith.v1.System/", b"kith.v1.Contacts/Fly", b"/", b"\xff\xfe", b"kith.v1.System/Ping\x00", b"a" * 129,
                b"a" * 100 * KIB, b"kith.v1.ContactsSource/List", "kith.v1.連絡先/List".encode()])
        return frames
