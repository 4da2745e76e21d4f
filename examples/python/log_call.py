#!/usr/bin/env python3
"""Logs a call and waits until Monica has it. Needs pyzmq and nothing else.

    log_call.py ann --minutes 25 --emotion happy --note "About the garden"
    log_call.py ann --at 2026-11-20T14:30:00+01:00 --wait 0

The call is kept by kithd at once, also without a network; what is waited for is the server. Exit codes: 0 done, 1 an
error or the server has not got it in time, 2 wrong usage, 3 no hub, 4 another user's hub.
"""
import argparse
import json
import re
import signal
import sys
from datetime import datetime, timezone

from place import endpoints
from send import HubNotRunning, command, runtime_directory
from watch import follow

EMOTIONS = ("happy", "neutral", "sad", "frustrated", "excited")
SETTLED = ("synced", "failed", "conflict")


class Refused(Exception):
    """The hub answered with an error."""


class Hub:
    """What this script asks the hub."""

    def __init__(self, directory):
        self.directory = directory
        self.endpoint = endpoints(directory)[0]

    def ask(self, method, body):
        """The reply, and how far the streams are that have what the command did."""
        header, reply, _ = command(self.endpoint, f"kith.v1.{method}", body)
        status = header.get("status", {})
        if status.get("code", "OK") != "OK":
            raise Refused(status.get("message", status["code"]))
        return reply, {effect["stream"]: int(effect.get("seq", 0)) for effect in header.get("effects", [])}

    def person(self, name):
        """The id of the only person that goes by a name."""
        if re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", name):
            return name
        people = self.ask("People/Search", {"text": name})[0].get("people", [])
        called = [person for person in people if name.casefold() in self.names(person)] or people
        if len(called) != 1:
            found = "".join(f"\n  {person['id']}  {person.get('displayName', '')}" for person in called)
            raise Refused(f"Give the id of who is meant:{found}" if called else f"No person is called {name}.")
        return called[0]["id"]

    @staticmethod
    def names(person):
        return {person.get(field, "").casefold() for field in ("displayName", "firstName", "nickname")}

    def settled(self, call, effects):
        """Reads the call again at every event that names it, until it is settled.

        The stream is followed from where the command's own event is, so that nothing between the two is missed.
        """
        if call.get("syncState") in SETTLED:
            return call
        for _, _, event in follow(["calls"], directory=self.directory, since={"calls": effects.get("calls", 0)}):
            if call["id"] in event.get("changed", {}).get("ids", []):
                call = self.ask("Calls/Get", {"id": call["id"]})[0]
                if call.get("syncState") in SETTLED:
                    return call


def record(hub, options):
    """The call as the hub wants it: field names are in docs/services.md."""
    call = {"personId": hub.person(options.person), "calledAt": options.at.astimezone(timezone.utc).isoformat()}
    call["calledAt"] = call["calledAt"].replace("+00:00", "Z")
    if options.minutes:
        call["durationMinutes"] = options.minutes
    if options.emotion:
        call["emotion"] = options.emotion
    if options.note:
        call["note"] = options.note
    if options.they_called:
        call["theyCalled"] = True
    return call


class Expired(Exception):
    """The server has not got the call in time."""


def expire(*_):
    raise Expired


def main():
    parser = argparse.ArgumentParser(description="Log a call and wait until Monica has it.")
    parser.add_argument("person", help="an id, or a name that only one person has")
    parser.add_argument("--at", type=datetime.fromisoformat, default=datetime.now(), help="ISO 8601; default: now")
    parser.add_argument("--minutes", type=int, default=0, help="how long it took")
    parser.add_argument("--emotion", choices=EMOTIONS, help="how it felt")
    parser.add_argument("--note", help="what it was about")
    parser.add_argument("--they-called", action="store_true", help="they called")
    parser.add_argument("--wait", type=int, default=60, help="seconds to wait for the server; 0: not at all")
    parser.add_argument("--runtime-dir", "--hub", default=runtime_directory(), help="sockets of kithd, or tcp://HOST")
    options = parser.parse_args()
    hub = Hub(options.runtime_dir)
    try:
        call, effects = hub.ask("Calls/Log", {"record": record(hub, options)})
    except HubNotRunning:
        print(f"kithd does not answer at {hub.endpoint}. Is it running?", file=sys.stderr)
        return 3
    except PermissionError:
        print(f"Permission denied: {hub.endpoint} belongs to another user. Run this as that user.", file=sys.stderr)
        return 4
    except (Refused, TimeoutError) as error:
        print(error, file=sys.stderr)
        return 1
    if options.wait > 0:
        signal.signal(signal.SIGALRM, expire)
        signal.alarm(options.wait)
        try:
            call = hub.settled(call, effects)
        except (Refused, HubNotRunning, TimeoutError, Expired):
            print("The call is kept, and waits for the server: kith monica queue", file=sys.stderr)
        signal.alarm(0)
    print(json.dumps(call, ensure_ascii=False))
    return 0 if options.wait == 0 or call.get("syncState") == "synced" else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
