#!/usr/bin/env python3
"""Prints events over HTTP, one JSON object a line, without a gap: server-sent events, read again from the last id after each interruption.

    follow.py [STREAM …]
    follow.py --position FILE care      # also goes on where it was before it ended

A line is {"kind": …, "id": …, "data": …}; kind is "message", "position", "resync" or "hub" (docs/http.md).
"""
import argparse
import json
import os
import pathlib
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

SILENCE = 60  # seconds without any byte after which the connection is dead: a comment comes every 15


def events(streams, since):
    """Yields (kind, id, data) of one connection."""
    token = pathlib.Path(os.environ["KITH_TOKEN_FILE"]).expanduser().read_text().strip()
    query = "?" + urllib.parse.urlencode({"streams": ",".join(streams)}) if streams else ""
    headers = {"Authorization": f"Bearer {token}", **({"Last-Event-ID": since} if since else {})}
    with urllib.request.urlopen(urllib.request.Request(os.environ["KITH_URL"] + "/events" + query, headers=headers),
                                timeout=SILENCE) as answer:
        kind, data = "message", ""
        for line in answer:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "id":
                since = value
            elif name == "data":
                data = value
            elif not name and not value and data:
                yield kind, since, json.loads(data)
                kind, data = "message", ""


def main():
    parser = argparse.ArgumentParser(description="Print events over HTTP.")
    parser.add_argument("streams", nargs="*")
    parser.add_argument("--position", type=pathlib.Path, help="a file that keeps the last id")
    options = parser.parse_args()
    since = options.position.read_text() if options.position and options.position.exists() else ""
    while True:
        try:
            for kind, since, data in events(options.streams, since):
                print(json.dumps({"kind": kind, "id": since, "data": data}, ensure_ascii=False), flush=True)
                if options.position:
                    options.position.with_suffix(".new").write_text(since)
                    options.position.with_suffix(".new").replace(options.position)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                print(json.load(error)["message"], file=sys.stderr)
                return 1
        except OSError as error:
            print(f"{os.environ['KITH_URL']}: {error}", file=sys.stderr)
        time.sleep(2)


if __name__ == "__main__":
    sys.exit(main())
