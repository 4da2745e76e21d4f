"""Reads every golden vector and writes it back: both encodings of each message, and whole multipart messages."""
import json

import pytest
from google.protobuf import json_format

from make_vectors import RELEASED, release
from messages import ROOT, SERVICES, TYPES

MESSAGES = json.loads((ROOT / "proto/vectors/messages.json").read_text())
FRAMES = json.loads((ROOT / "proto/vectors/frames.json").read_text())
LAYOUT = {"control": dict(tag=0, kind=1, ctype=3, header=4, body=5), "events": dict(tag=1, kind=2, ctype=3, header=4, body=5),
          "work": dict(tag=0, kind=1, ctype=3, header=4, body=5)}


def written(message):
    return json.dumps(json_format.MessageToDict(message), ensure_ascii=False, separators=(",", ":"))


def read(name, encoding, data):
    message = TYPES[name]()
    return message.FromString(data) if encoding == "pb" else json_format.Parse(data.decode(), message)


@pytest.mark.parametrize("vector", MESSAGES, ids=lambda vector: f"{vector['message']} {vector['case']}")
def test_message_in_both_encodings(vector):
    name, binary, text = vector["message"], bytes.fromhex(vector["pb"]), vector["json"]
    from_binary, from_text = read(name, "pb", binary), read(name, "json", text.encode())
    assert from_binary == from_text
    assert from_text.SerializeToString(deterministic=True) == binary
    assert written(from_binary) == text


def test_every_message_has_vectors():
    assert {vector["message"] for vector in MESSAGES} == set(TYPES)


@pytest.mark.parametrize("vector", FRAMES, ids=lambda vector: f"{vector['name']} {vector['encoding']}")
def test_whole_message(vector):
    frames, at = [bytes.fromhex(frame) for frame in vector["frames"]], LAYOUT[vector["plane"]]
    assert frames[at["tag"]] == {"control": b"KTHC01", "events": b"KTHE01", "work": b"KTHW01"}[vector["plane"]]
    assert frames[at["ctype"]].decode() == vector["encoding"]
    for part in ("header", "body"):
        if not vector[part]:
            assert frames[at[part]] == b""
            continue
        message = read(vector[part], vector["encoding"], frames[at[part]])
        data = message.SerializeToString(deterministic=True) if vector["encoding"] == "pb" else written(message).encode()
        assert data == frames[at[part]]


@pytest.mark.parametrize("name", sorted({vector["name"] for vector in FRAMES}))
def test_both_encodings_of_a_whole_message_say_the_same(name):
    pb, text = ([bytes.fromhex(frame) for frame in vector["frames"]] for vector in FRAMES if vector["name"] == name)
    vector = next(vector for vector in FRAMES if vector["name"] == name)
    at = LAYOUT[vector["plane"]]
    for part in ("header", "body"):
        if vector[part]:
            assert read(vector[part], "pb", pb[at[part]]) == read(vector[part], "json", text[at[part]])
    assert pb[6:] == text[6:]


def test_requests_name_methods_of_proto():
    named = {bytes.fromhex(vector["frames"][2]).decode() for vector in FRAMES if vector["plane"] == "control"}
    assert named and named <= set(SERVICES)


def test_a_vector_that_was_released_is_as_it_was():
    """Clients in use send these bytes, and programs of others read the vectors too. make_vectors.py only adds lines."""
    released, now = set(RELEASED.read_text().splitlines()), {release(vector) for vector in MESSAGES + FRAMES}
    assert len(released) >= 812 and not released - now, "a released vector was changed or removed"
    assert not now - released, "make_vectors.py did not add these vectors"
