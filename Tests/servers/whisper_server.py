#!/usr/bin/env python3
"""Answers as whisper-server of whisper.cpp 1.9 does, and as it should not. Prints `ready PORT`; ends with its standard input.

The field `prompt` of the form says which answer is wanted; without one it is a transcript of the recording that was sent.
"""
import email
import email.policy
import http.server
import json
import socket
import sys
import threading


def transcript(language, *segments):
    return json.dumps({
        "task": "transcribe", "language": language, "duration": 3.0, "text": "".join(text for _, _, text in segments),
        "segments": [
            {"id": number, "start": start, "end": end, "text": text, "tokens": [], "temperature": 0.0, "avg_logprob": -0.2,
             "no_speech_prob": 0.01, "words": []}
            for number, (start, end, text) in enumerate(segments)
        ],
    })


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, kind="application/json"):
        body = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(200 if self.path == "/health" else 404, '{"status":"ok"}')

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        form = email.message_from_bytes(head + body, policy=email.policy.HTTP)
        parts = {part.get_param("name", header="content-disposition"): part for part in form.iter_parts()}
        fields = {name: part.get_payload(decode=True) for name, part in parts.items()}
        wanted = {"response_format": b"verbose_json", "no_language_probabilities": b"true", "temperature": b"0"}
        sound = fields.get("file", b"")
        if self.path != "/inference" or any(fields.get(name) != value for name, value in wanted.items()) or (
                sound[:4] != b"RIFF" or parts["file"].get_filename() != "recording.wav"):
            return self.answer(400, "Invalid request", "text/plain")
        case = fields.get("prompt", b"").decode()
        language = {b"en": "english", b"ja": "japanese"}.get(fields["language"])
        if case == "loading":
            return self.answer(503, '{"status":"loading model"}')
        if case == "error":
            return self.answer(500, "FAIL", "text/plain")
        if case == "garbage":
            return self.answer(200, "<html>")
        if case == "flood":
            return self.answer(200, transcript("english", (0, 1, "a" * 10_000_000)))
        if case == "wrong":
            return self.answer(200, transcript("french", (0, 1, " bonjour")))
        if case == "hang up":
            return self.connection.shutdown(socket.SHUT_RDWR)
        if case == "hang":
            threading.Event().wait()
        # What whisper-server says for a language that it does not know.
        if language is None:
            return self.answer(200, '{"text":""}')
        segments = [(0.0, 2.0, f" {len(sound)} bytes,"), (2.0, 3.0, " [BLANK_AUDIO]"), (3.0, 4.0, " thank you.")]
        self.answer(200, transcript(language, *segments))


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"ready {server.server_port}", flush=True)
sys.stdin.read()
