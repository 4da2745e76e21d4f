#!/usr/bin/env python3
"""Notes an entry of care over HTTP, or sends a recording as one. Prints the entry as JSON.

    record.py meal "Porridge"
    record.py --sound note.wav [CATEGORY]

The same request is sent again until it is answered, under one key: there is one entry. Exit codes: 0 done, 1 refused, 3 no answer.
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
import uuid

WAITS = (2, 4, 8, 15)  # seconds before the request is sent again


def send(path, body, content_type, key):
    """Sends a request until it is answered or refused for good; returns the reply."""
    token = pathlib.Path(os.environ["KITH_TOKEN_FILE"]).expanduser().read_text().strip()
    request = urllib.request.Request(os.environ["KITH_URL"] + path, data=body, method="POST", headers={
        "Authorization": f"Bearer {token}", "Content-Type": content_type, "Idempotency-Key": key})
    for wait in (*WAITS, None):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code not in (408, 429, 503, 504) or wait is None:
                raise
            wait = max(wait, int(error.headers.get("Retry-After", 0)))
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            if wait is None:
                raise
        time.sleep(wait)


def main():
    parser = argparse.ArgumentParser(description="Note an entry of care over HTTP.")
    parser.add_argument("category", nargs="?", default="free_memo")
    parser.add_argument("memo", nargs="?", default="")
    parser.add_argument("--sound", type=pathlib.Path, help="a recording, such as a WAV")
    options = parser.parse_args()
    key = str(uuid.uuid4())
    try:
        if options.sound:
            message = urllib.parse.quote(json.dumps({"category": options.category}))
            reply = send(f"/care/voice?message={message}", options.sound.read_bytes(), "audio/wav", key)
        else:
            body = json.dumps({"category": options.category, "memo": options.memo}).encode()
            reply = send("/kith.v1.Care/Record", body, "application/json", key)
    except urllib.error.HTTPError as error:
        print(json.load(error)["message"], file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{os.environ['KITH_URL']} does not answer: {error}", file=sys.stderr)
        return 3
    print(json.dumps(reply["record"], ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
