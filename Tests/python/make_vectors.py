#!/usr/bin/env python3
"""Adds golden vectors to proto/vectors/ for messages that have none. Existing vectors are never rewritten: they are what
the wire looked like, and a change of proto/ that breaks one breaks somebody's client.

Run it with scripts/python.sh after adding messages to proto/.
"""
import hashlib
import json
import pathlib

from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor as Field

from messages import ROOT, TYPES

VECTORS = pathlib.Path(ROOT, "proto", "vectors")
RELEASED = pathlib.Path(ROOT, "Tests", "released", "vectors.txt")


def sample(field):
    """A value that no other field of the message has, with what is easily broken: UTF-8, escapes, more than 53 bits."""
    if field.type == Field.TYPE_STRING:
        return f'{field.name} "佐é"\n' if field.name in ("message", "text", "note") else f"{field.name} 佐é"
    if field.enum_type:
        return field.enum_type.values[-1].number
    return {
        Field.TYPE_BYTES: bytes([0, 0x7F, 0x80, 0xFF, field.number]), Field.TYPE_BOOL: True,
        Field.TYPE_UINT32: 2**32 - field.number, Field.TYPE_UINT64: 2**63 + field.number,
        Field.TYPE_FLOAT: field.number + 0.25,
    }[field.type]


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def fill(message, choice=0, depth=0):
    """Sets every field; of a oneof the case of number `choice`, the last one where there are fewer."""
    for field in message.DESCRIPTOR.fields:
        oneof = field.containing_oneof
        if oneof and field is not oneof.fields[min(choice, len(oneof.fields) - 1)]:
            continue
        set_field(message, field, choice, depth)
    return message


def set_field(message, field, choice, depth):
    target = getattr(message, field.name)
    if is_map(field):
        value = field.message_type.fields_by_name["value"]
        target["name"] = "why" if value.type == Field.TYPE_STRING else sample(value)
    elif field.message_type is not None:
        # Every type has a vector of its own, so two levels are enough inside others.
        if depth < 2:
            well_known = {"google.protobuf.Timestamp": (1767323045, 120000000), "google.protobuf.Duration": (90, 500000000)}
            for item in (target.add(),) if field.label == Field.LABEL_REPEATED else (target,):
                item.SetInParent()
                if field.message_type.full_name in well_known:
                    item.seconds, item.nanos = well_known[field.message_type.full_name]
                else:
                    fill(item, choice, depth + 1)
    else:
        value = sample(field)
        if field.label == Field.LABEL_REPEATED:
            target.extend([value, value])
        else:
            setattr(message, field.name, value)


def text(message):
    """proto3 JSON without blanks, fields in the order of their numbers."""
    return json.dumps(json_format.MessageToDict(message), ensure_ascii=False, separators=(",", ":"))


def vectors(name):
    message_type = TYPES[name]
    yield "empty", message_type()
    cases = max([len(oneof.fields) for oneof in message_type.DESCRIPTOR.oneofs], default=1)
    for choice in range(cases):
        yield "full" if cases == 1 else f"full, case {choice + 1}", fill(message_type(), choice)


def new(name, **fields):
    return json_format.ParseDict(fields, TYPES[f"kith.v1.{name}"]())


def control(name, kind, method, header, body=None, attachments=()):
    return name, "control", header, body, lambda encode: [
        b"KTHC01", bytes([kind]), f"kith.v1.{method}".encode(), encode.__name__.encode(), encode(header),
        b"" if body is None else encode(body), *attachments]


def event(name, stream, kind, header, body):
    return name, "events", header, body, lambda encode: [
        f"{encode.__name__[0]}/{stream}/".encode(), b"KTHE01", bytes([kind]), encode.__name__.encode(), encode(header),
        encode(body)]


def work(name, kind, header, body=None, data=None, service=""):
    return name, "work", header, body, lambda encode: [
        b"KTHW01", bytes([kind]), service.encode(), encode.__name__.encode(), encode(header),
        b"" if body is None else encode(body), *([] if data is None else [data])]


def pb(message):
    return message.SerializeToString(deterministic=True)


def json_(message):
    return text(message).encode()


json_.__name__ = "json"


def messages_on_the_wire():
    """One of each kind of message, as the planes carry it."""
    identity, time = "0198f3a2-7c41-7d10-9c5e-3f1f0a6b2c4d", "2026-01-02T03:04:05.120Z"
    position = {"stream": "sync", "epoch": "0198f3a2", "seq": "42"}
    sync = {"source": "contacts:home", "state": "SYNCING", "total": 1000, "done": 250, "runId": "r1"}
    logged = {**position, "time": time, "causeRequestId": identity}
    yield control("request", 1, "Contacts/Sync", new(
        "RequestHeader", requestId=identity, idempotencyKey="morning", wantProgress=True, timeoutMs=60000),
        new("SyncRequest", sources=["home"], full=True))
    yield control("request with attachment", 1, "System/BlobPut", new("RequestHeader", requestId="b-1"),
                  new("BlobPutRequest", sha256="ab" * 32, offset="262144"), [bytes(range(16))])
    yield control("request of a device", 1, "Care/List", new(
        "RequestHeader", requestId=identity, token="kith_" + "A" * 43), new("ListCareRequest", limit=20))
    yield control("accepted", 2, "Contacts/Sync", new("ReplyHeader", requestId=identity, hubTime=time),
                  new("Accepted", commandId=identity))
    yield control("progress", 2, "Contacts/Sync", new("ReplyHeader", requestId=identity, seq=1, hubTime=time),
                  new("Progress", fraction=0.25, stage="reading", note="home"))
    yield control("final", 3, "Contacts/Sync", new(
        "ReplyHeader", requestId=identity, seq=2, hubTime=time, replayed=True, effects=[position]),
        new("SyncReply", sources=[{**sync, "state": "COMPLETED", "done": 1000, "added": 1000}]))
    yield control("final with error", 3, "Contacts/AddSource", new("ReplyHeader", requestId=identity, hubTime=time, status={
        "code": "INVALID_ARGUMENT", "reason": "FIELD_INVALID", "message": "name: may not be empty",
        "details": {"name": "may not be empty"}}))
    yield control("final with attachment", 3, "System/BlobGet", new("ReplyHeader", requestId="g-1", hubTime=time),
                  new("BlobGetReply", size="16"), [bytes(range(16))])
    yield event("event", "sync", 1, new("EventHeader", key="contacts:home", **logged), new("Event", sync=sync))
    yield event("event without key", "contacts", 1, new("EventHeader", **{**logged, "stream": "contacts"}),
                new("Event", changed={"ids": [identity], "changeSeq": "7", "kind": "contact"}))
    yield event("tombstone", "sync", 1, new("EventHeader", key="contacts:home", tombstone=True, **logged), new("Event"))
    yield event("head", "!head", 2, new("EventHeader"), new(
        "Head", heads=[position], hubInstance=identity, intervalMs=2000))
    yield from messages_of_work(identity, time)


def messages_of_work(identity, time):
    """One of each kind of message of the work plane."""
    lease = {"jobId": identity, "attempt": 1, "leaseId": "lease-1"}
    service, digest = "kith.v1.Transcriber/Transcribe", "ab" * 32
    yield work("worker ready", 0x01, new(
        "Ready", workerName="speech", instanceId=identity, capabilities=[{"name": "kith.v1.Transcriber", "version": 1}],
        credit=1, held=[lease], software="kithd 0.1.0"))
    yield work("worker welcome", 0x10, new(
        "Welcome", sessionId="s-1", heartbeat="2.5s", lease="30s", resumeGrace="10s", maxChunk=262144, maxWindow=2097152,
        lostLeaseIds=["lease-0"]))
    yield work("job", 0x02, new(
        "Job", **lease, lease="30s", deadline=time, inputs=[{"sha256": digest, "size": "16"}], checkpoint="AAE=",
        service=service, batches=1), new("TranscribeRequest", language="en-US"), service=service)
    yield work("job progress", 0x03, new("Partial", **lease, progress={"fraction": 0.5}), service=service)
    yield work("job batch", 0x03, new("Partial", **lease, batchSeq=2, checkpoint="AAI="), new(
        "ItemBatch", gone=["a.vcf"]), service="kith.v1.ContactsSource/List")
    yield work("job result", 0x04, new("WorkResult", **lease), new("TranscribeReply", text="two tablets"), service=service)
    yield work("job result in a blob", 0x04, new(
        "WorkResult", **lease, outputs=[{"sha256": digest, "size": "300000"}]), service=service)
    yield work("job failed", 0x04, new("WorkResult", **lease, retryable=True, status={
        "code": "UNAVAILABLE", "reason": "UPSTREAM_DOWN", "message": "whisper-server does not answer"}), service=service)
    yield work("worker heartbeat", 0x05, new("Heartbeat", leaseIds=["lease-1"], creditInUse=1))
    yield work("hub heartbeat", 0x05, new("Heartbeat", hubTime=time))
    yield work("session unknown", 0x06, new("Disconnect", reconnectAfter="1s", status={
        "code": "FAILED_PRECONDITION", "reason": "SESSION_UNKNOWN", "message": "Send READY again."}))
    yield work("credit", 0x11, new("Credit", add=1))
    yield work("leases", 0x12, new("LeaseUpdate", renewed=["lease-1"], revoked=["lease-0"], lease="30s"))
    yield work("batch stored", 0x12, new(
        "LeaseUpdate", renewed=["lease-1"], committedBatch=2, jobId=identity, leaseId="lease-1"))
    yield work("ack", 0x13, new("Ack", jobId=identity, leaseId="lease-1", duplicate=True))
    yield work("cancel", 0x14, new("Cancel", jobId=identity, leaseId="lease-1", reason="nobody waits for it"))
    yield work("fetch", 0x15, new("Fetch", sha256=digest, offset="262144", window=1048576))
    yield work("chunk", 0x16, new("Chunk", sha256=digest, offset="0", eof=True, size="16"), data=bytes(range(16)))
    yield work("chunk taken", 0x18, new("ChunkAck", sha256=digest, nextOffset="16", done=True))
    yield work("drain", 0x17, new("Drain", grace="30s", reason="the worker is stopping"))
    yield work("worker welcome while the hub's key changes", 0x10, new(
        "Welcome", sessionId="s-2", heartbeat="2.5s", lease="30s", resumeGrace="10s", maxChunk=262144, maxWindow=2097152,
        nextServerKeyZ85="rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"))
    yield work("job with its command in a blob", 0x02, new(
        "Job", **lease, lease="30s", service="kith.v1.ContactsSource/Fetch", body={"sha256": digest, "size": "300000"}),
        service="kith.v1.ContactsSource/Fetch")
    yield work("job that may happen once", 0x02, new(
        "Job", **lease, lease="30s", delivery="AT_MOST_ONCE", service="kith.v1.MonicaRemote/Push"), new("PushRequest"),
        service="kith.v1.MonicaRemote/Push")
    yield work("job batch in a blob", 0x03, new(
        "Partial", **lease, batchSeq=3, checkpoint="AAM=", outputs=[{"sha256": digest, "size": "300000"}]),
        service="kith.v1.ContactsSource/Fetch")
    yield work("nothing to fetch", 0x16, new("Chunk", sha256=digest, status={
        "code": "FAILED_PRECONDITION", "reason": "BLOB_MISSING", "message": "This is no input of a job of yours.",
        "retryAfterMs": 1000}), data=b"")
    yield work("blob to be sent again", 0x18, new("ChunkAck", sha256=digest, status={
        "code": "FAILED_PRECONDITION", "reason": "BLOB_MISSING", "message": "Send the body first, in chunks."}))
    yield work("version unsupported", 0x06, new("Disconnect", status={
        "code": "UNIMPLEMENTED", "reason": "VERSION_UNSUPPORTED", "message": "KTHW01 is spoken.",
        "details": {"versions": "KTHW01"}}))
    yield event("job event", "jobs", 1, new(
        "EventHeader", stream="jobs", epoch="0198f3a2", seq="42", time=time, key=identity), new("Event", job={
            "jobId": identity, "capability": service, "state": "leased", "attempt": 1, "worker": "speech"}))


def frame_vectors():
    for name, plane, header, body, frames in messages_on_the_wire():
        for encode in (pb, json_):
            yield {
                "name": name, "plane": plane, "encoding": encode.__name__, "header": header.DESCRIPTOR.full_name,
                "body": body.DESCRIPTOR.full_name if body is not None else "",
                "frames": [frame.hex() for frame in frames(encode)]}


def message_vectors():
    for name in TYPES:
        for case, message in vectors(name):
            yield {"message": name, "case": case, "pb": pb(message).hex(), "json": text(message)}


def release(vector):
    """A vector's line in Tests/released/vectors.txt."""
    name = f"{vector['message']} {vector['case']}" if "message" in vector else f"{vector['name']} {vector['encoding']}"
    return f"{name} {hashlib.sha256(json.dumps(vector, sort_keys=True).encode()).hexdigest()}"


def add(file, made, key):
    """Appends the vectors whose key the file does not have yet, and their lines to those of released vectors."""
    path = VECTORS / file
    known = json.loads(path.read_text()) if path.exists() else []
    covered = {vector[key] for vector in known}
    added = [vector for vector in made if vector[key] not in covered]
    rows = ",\n".join(json.dumps(vector, ensure_ascii=False) for vector in known + added)
    path.write_text(f"[\n{rows}\n]\n")
    with RELEASED.open("a") as released:
        released.writelines(release(vector) + "\n" for vector in added)
    print(f"{file}: {len(added)} vectors added, {len(known)} kept")


if __name__ == "__main__":
    add("messages.json", message_vectors(), "message")
    add("frames.json", frame_vectors(), "name")
