#!/usr/bin/env python3
"""Answers as an ntfy server and as LINE's Messaging API do, and takes webhooks. Prints `ready PORT`; ends with its standard input.

POST /control/answers queues answers, as a JSON list of {"status", "headers", "body"}, that the next messages get in place of
their own; {"drop": true} takes the message and hangs up without a word, {"hold": true} keeps it until POST /control/release before it
is taken and answered. GET /control/seen tells what came: a list of {"line",
"headers", "body"} in the order of arrival, heads as they were on the wire, and what was accepted by each id.
"""
import http.server
import json
import re
import socket
import sys
import threading
import uuid

TOKEN = "tk_secret"
LINE_TARGET = re.compile(r"[UCR][0-9a-f]{32}")


class State:
    lock = threading.Lock()
    answers = []
    seen = []
    accepted = []
    retry_keys = set()
    released = threading.Event()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body="{}", headers=()):
        body = body.encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with State.lock:
            self.answer(200, json.dumps({"seen": State.seen, "accepted": State.accepted}))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/control/answers":
            with State.lock:
                State.answers += json.loads(body)
            return self.answer(200)
        if self.path == "/control/release":
            State.released.set()
            return self.answer(200)
        with State.lock:
            headers = [[name, value] for name, value in self.headers.items()]
            State.seen.append({"line": self.requestline, "headers": headers, "body": body.decode()})
            scripted = State.answers.pop(0) if State.answers else None
        if scripted and scripted.get("hold"):
            State.released.wait(60)
            scripted = None
        if scripted and not scripted.get("drop"):
            return self.answer(scripted["status"], scripted.get("body", "{}"), scripted.get("headers", {}).items())
        status, text, more = self.own(body)
        if scripted:
            return self.connection.shutdown(socket.SHUT_RDWR)
        self.answer(status, text, more)

    def own(self, body):
        """What the service itself answers, which is also what it does."""
        if self.path == "/v2/bot/message/push":
            return self.line(body)
        identity = self.headers.get("X-Message-Id") or self.headers.get("Idempotency-Key")
        if self.path.startswith("/private") and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return 403, '{"code":40301,"http":403,"error":"forbidden"}', ()
        if len(body) > 4096 and not self.path.startswith("/hook"):
            return 413, '{"code":41301,"http":413,"error":"too large"}', ()
        with State.lock:
            State.accepted.append(identity)
        return 200, json.dumps({"id": "abc123", "time": 1, "event": "message", "message": body.decode()}), ()

    def line(self, body):
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return 401, '{"message":"Authentication failed"}', ()
        key = self.headers["X-Line-Retry-Key"]
        message = json.loads(body)
        uuid.UUID(key)
        texts = [item["text"] for item in message["messages"]]
        fits = 1 <= len(texts) <= 5 and all(0 < len(text.encode("utf-16-le")) // 2 <= 5000 for text in texts)
        if not LINE_TARGET.fullmatch(message["to"]) or not fits:
            return 400, '{"message":"The request body has 1 error(s)"}', ()
        with State.lock:
            if key in State.retry_keys:
                return 409, '{"message":"The retry key is already accepted"}', (("X-Line-Accepted-Request-Id", "first"),)
            State.retry_keys.add(key)
            State.accepted.append(key)
        return 200, '{"sentMessages":[{"id":"461230966842064897"}]}', (("X-Line-Request-Id", "first"),)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"ready {server.server_port}", flush=True)
sys.stdin.read()
