#!/usr/bin/env python3
"""Sends one command to kithd and prints its answer as JSON. Needs pyzmq and nothing else.

    send.py kith.v1.System/Ping
    send.py kith.v1.Contacts/Search '{"text": "sato", "limit": 5}'
    send.py --progress kith.v1.Contacts/Sync

`command()` is the part to take into your own scripts. Exit codes: 0 done, 1 the hub answered with an error, 2 wrong usage,
3 no hub, 4 another user's hub.
"""
import argparse
import json
import os
import random
import sys
import time
import uuid

import zmq

from place import endpoints, knock, prepare

TAG = b"KTHC01"
REQUEST, PARTIAL, FINAL = b"\x01", b"\x02", b"\x03"
WAITS = (2, 4, 8, 15)  # seconds without any answer before the same request is sent again
SILENCE = 5            # the same, once the hub has said that it works on it


class HubNotRunning(Exception):
    """Nobody listens at the control socket."""


def runtime_directory():
    """Where kithd puts its sockets when nobody says otherwise."""
    if "KITH_RUNTIME_DIR" in os.environ:
        return os.environ["KITH_RUNTIME_DIR"]
    base = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    state = os.environ.get("XDG_STATE_HOME", os.path.expanduser("~/.local/state"))
    own = (os.path.join(base, "kith") if os.path.isdir(base) else
           os.path.join(os.environ.get("KITH_STATE_DIR", os.path.join(state, "kith")), "run"))
    closed = []
    for directory in (own, "/run/kith"):  # the user's hub, then the machine's
        try:
            knock(endpoints(directory)[0])
            return directory
        except PermissionError:
            closed.append(directory)
        except OSError:
            pass
    return (closed or [own])[0]


def connect(endpoint, kind):
    """A control socket that never queues a command for a hub that is away."""
    socket = zmq.Context.instance().socket(kind)
    socket.linger, socket.immediate, socket.sndtimeo = 0, 1, 3000
    prepare(socket, endpoint).connect(endpoint)
    return socket


def find(endpoint):
    """Raises HubNotRunning at once where no hub listens on this machine."""
    try:
        knock(endpoint)
    except (FileNotFoundError, ConnectionRefusedError):
        raise HubNotRunning(endpoint) from None


def command(endpoint, service, body=None, *, request_id=None, key=None, timeout=60.0, on_partial=None, attachments=(),
            plain=False, token=""):
    """Sends a command until it is answered; returns (header, body, attachments) of its FINAL.

    endpoint     such as ipc:///run/user/1000/kith/control.sock; for tcp see place.py
    body         the request message as a dictionary
    request_id   the same on every try: a command that changes something happens once
    key          under which the hub remembers the answer; the request id unless given
    on_partial   called with (header, body) of every PARTIAL: Accepted first, then Progress
    plain        use a REQ socket, which gets the FINAL alone
    token        of a device, as which the command runs

    Raises HubNotRunning and PermissionError at once, and TimeoutError.
    """
    header = {"requestId": request_id or str(uuid.uuid4()), "timeoutMs": int(timeout * 1000)}
    if key:
        header["idempotencyKey"] = key
    if token:
        header["token"] = token
    if on_partial and not plain:
        header["wantProgress"] = True
    end, tries = time.monotonic() + timeout, 0
    find(endpoint)
    while True:
        socket = connect(endpoint, zmq.REQ if plain else zmq.DEALER)
        try:
            frames = [TAG, REQUEST, service.encode(), b"json", json.dumps({**header, "attempt": tries}).encode(),
                      json.dumps(body or {}).encode(), *attachments]
            try:
                socket.send_multipart(frames)
            except zmq.Again:
                if not endpoint.startswith("ipc://") or time.monotonic() >= end:
                    raise HubNotRunning(endpoint) from None
                # A hub that is there may have much to do before it lets a connection in.
                find(endpoint)
                continue
            wait = WAITS[min(tries, len(WAITS) - 1)] * random.uniform(1, 1.2)
            answer = await_final(socket, header["requestId"], min(wait, end - time.monotonic()), end, on_partial)
        finally:
            socket.close()
        if answer:
            return answer
        if time.monotonic() >= end:
            raise TimeoutError(f"{service} was not answered within {timeout:g} s; the same request id is safe to repeat")
        tries += 1


def await_final(socket, request_id, wait, end, on_partial):
    """Reads until the FINAL of a request; None after `wait` seconds of silence."""
    while socket.poll(max(0, wait) * 1000):
        frames = socket.recv_multipart()
        if len(frames) < 6 or frames[0] != TAG:
            continue
        header, body = json.loads(frames[4]), json.loads(frames[5] or b"{}")
        # A header without an id answers a request whose own header could not be read.
        if header.get("requestId", request_id) != request_id:
            continue
        if frames[1] == FINAL:
            return header, body, frames[6:]
        if frames[1] == PARTIAL:
            wait = min(SILENCE, end - time.monotonic())
            if on_partial:
                on_partial(header, body)
    return None


def main():
    parser = argparse.ArgumentParser(description="Send one command to kithd.")
    parser.add_argument("service", help="for example kith.v1.Contacts/List")
    parser.add_argument("body", nargs="?", default="{}", help="the request as JSON; field names are in docs/services.md")
    parser.add_argument("--runtime-dir", "--hub", default=runtime_directory(), help="sockets of kithd, or tcp://HOST")
    parser.add_argument("--endpoint", help="a full address instead, such as ipc:///tmp/kith/control.sock")
    parser.add_argument("--request-id", help="repeat an earlier call: its stored answer comes back")
    parser.add_argument("--key", help="idempotency key, when it is not the request id")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds")
    parser.add_argument("--req", action="store_true", help="use a REQ socket")
    parser.add_argument("--progress", action="store_true", help="print progress to standard error")
    options = parser.parse_args()
    try:
        body = json.loads(options.body)
    except ValueError as error:
        parser.error(f"the body is not JSON: {error}")

    def show(_, progress):
        print(json.dumps(progress, ensure_ascii=False), file=sys.stderr)

    endpoint = options.endpoint or endpoints(options.runtime_dir)[0]
    try:
        header, reply, _ = command(
            endpoint, options.service, body, request_id=options.request_id, key=options.key, timeout=options.timeout,
            on_partial=show if options.progress else None, plain=options.req)
    except HubNotRunning:
        print(f"kithd does not answer at {endpoint}. Is it running?", file=sys.stderr)
        return 3
    except PermissionError:
        print(f"Permission denied: {endpoint} belongs to another user. Run this as that user.", file=sys.stderr)
        return 4
    except TimeoutError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps({"header": header, "body": reply}, ensure_ascii=False))
    return 1 if header.get("status", {}).get("code", "OK") != "OK" else 0


if __name__ == "__main__":
    sys.exit(main())
