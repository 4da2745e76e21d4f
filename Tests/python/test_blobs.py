"""Bytes that do not fit a command: sent in pieces, resumed, checked, read back."""
import hashlib
import random
import signal

import pytest

from keyed import CurveWire, Key, tcp_hub

CHUNK = 256 * 1024


def content(size, seed):
    data = random.Random(seed).randbytes(size)
    return data, hashlib.sha256(data).hexdigest()


def put(hub, digest, offset, piece):
    return hub.ask("System/BlobPut", {"sha256": digest, "offset": str(offset)}, attachments=[piece])


def opened(hub, digest, size):
    return hub.reply("System/BlobOpen", {"blob": {"sha256": digest, "size": str(size)}})


def upload(hub, data, digest, start=0):
    for offset in range(start, len(data), CHUNK):
        header, reply, _ = put(hub, digest, offset, data[offset:offset + CHUNK])
        assert "status" not in header, header
        assert int(reply["nextOffset"]) == min(offset + CHUNK, len(data))
    return put(hub, digest, len(data), b"")


def download(hub, digest):
    data = b""
    while True:
        header, reply, attachments = hub.ask("System/BlobGet", {"sha256": digest, "offset": str(len(data))})
        assert "status" not in header, header
        data += b"".join(attachments)
        if len(data) >= int(reply["size"]):
            return data


def test_upload_and_download(shared_hub):
    data, digest = content(3 * CHUNK + 123, seed=1)
    assert int(opened(shared_hub, digest, len(data)).get("nextOffset", 0)) == 0
    header, reply, _ = upload(shared_hub, data, digest)
    assert "status" not in header and reply["complete"] is True
    assert download(shared_hub, digest) == data
    assert opened(shared_hub, digest, len(data))["complete"] is True


@pytest.mark.parametrize("ending", [None, signal.SIGTERM, signal.SIGKILL], ids=["connection", "stopped", "killed"])
def test_upload_is_resumed(hub, ending):
    data, digest = content(4 * CHUNK, seed=2)
    opened(hub, digest, len(data))
    for offset in (0, CHUNK):
        put(hub, digest, offset, data[offset:offset + CHUNK])
    if ending:
        hub.restart(ending)
    position = int(opened(hub, digest, len(data)).get("nextOffset", 0))
    # The hub may forget pieces that it never said were on disk for good, but not lose its place within one.
    assert position <= 2 * CHUNK and position % CHUNK == 0
    assert ending == signal.SIGKILL or position == 2 * CHUNK
    header, reply, _ = upload(hub, data, digest, start=position)
    assert "status" not in header and reply["complete"] is True
    assert download(hub, digest) == data


def test_piece_sent_twice_is_taken_once(shared_hub):
    data, digest = content(2 * CHUNK, seed=3)
    opened(shared_hub, digest, len(data))
    for _ in range(2):
        assert int(put(shared_hub, digest, 0, data[:CHUNK])[1]["nextOffset"]) == CHUNK
    upload(shared_hub, data, digest, start=CHUNK)
    assert download(shared_hub, digest) == data


def test_gap_is_refused_with_the_place_to_go_on(shared_hub):
    data, digest = content(2 * CHUNK, seed=4)
    opened(shared_hub, digest, len(data))
    header, _, _ = put(shared_hub, digest, CHUNK, data[CHUNK:])
    assert (header["status"]["code"], header["status"]["reason"]) == ("OUT_OF_RANGE", "OFFSET_GAP")
    upload(shared_hub, data, digest)


def test_an_upload_that_is_given_up_leaves_its_place(hub):
    digests = [content(1000, seed=100 + number)[1] for number in range(5)]
    for digest in digests[:4]:
        opened(hub, digest, 1000)
    assert hub.error("System/BlobOpen", {"blob": {"sha256": digests[4], "size": "1000"}})[1] == "BLOB_QUOTA"
    assert hub.reply("System/BlobAbandon", {"sha256": digests[0]}) == {"abandoned": True}
    assert hub.reply("System/BlobAbandon", {"sha256": digests[0]}) == {}
    opened(hub, digests[4], 1000)


def test_wrong_digest_is_noticed(shared_hub):
    data, _ = content(1000, seed=5)
    digest = hashlib.sha256(b"something else").hexdigest()
    opened(shared_hub, digest, len(data))
    header, _, _ = upload(shared_hub, data, digest)
    assert (header["status"]["code"], header["status"]["reason"]) == ("DATA_LOSS", "DIGEST_MISMATCH")
    assert shared_hub.ask("System/BlobGet", {"sha256": digest})[0]["status"]["code"] in ("NOT_FOUND", "FAILED_PRECONDITION")


def test_an_upload_has_the_size_that_it_was_opened_with(hub):
    data, digest = content(1000, seed=7)
    opened(hub, digest, 10)
    header, _, _ = put(hub, digest, 0, data)
    assert header["status"]["details"].keys() == {"offset"}
    assert hub.error("System/BlobOpen", {"blob": {"sha256": digest, "size": "1000"}}) == ("INVALID_ARGUMENT", "FIELD_INVALID")
    hub.reply("System/BlobAbandon", {"sha256": digest})
    opened(hub, digest, 1000)
    put(hub, digest, 0, data[:900])
    header, _, _ = put(hub, digest, 900, b"")
    assert (header["status"]["reason"], header["status"]["details"]) == ("OFFSET_GAP", {"next_offset": "900"})
    hub.restart(signal.SIGKILL)
    position = int(opened(hub, digest, 1000).get("nextOffset", 0))
    assert upload(hub, data, digest, start=position)[1]["complete"] is True


def test_a_backup_is_read_by_admins_alone(tmp_path):
    with tcp_hub() as hub:
        backup = hub.reply("System/Backup")
        for role in ("viewer", "recorder"):
            key = Key()
            hub.approve(key, role, role)
            with CurveWire(hub, key) as other:
                status = other.ask("System/BlobGet", {"sha256": backup["sha256"]})[0]["status"]
                assert (status["code"], status["reason"]) == ("PERMISSION_DENIED", "ROLE_NOT_ALLOWED"), role
        assert download(hub, backup["sha256"]).startswith(b"SQLite format 3")


@pytest.mark.parametrize("digest", ["", "xyz", "../../etc/passwd", "ab" * 31, "zz" * 32, "AB" * 32])
def test_digest_has_one_form(shared_hub, digest):
    code, reason = shared_hub.error("System/BlobOpen", {"blob": {"sha256": digest, "size": "10"}})
    assert (code, reason) == ("INVALID_ARGUMENT", "FIELD_INVALID")


def test_blob_beyond_the_limit(shared_hub):
    code, _ = shared_hub.error("System/BlobOpen", {"blob": {"sha256": "ab" * 32, "size": str(513 * 1024 * 1024)}})
    assert code in ("INVALID_ARGUMENT", "RESOURCE_EXHAUSTED")
