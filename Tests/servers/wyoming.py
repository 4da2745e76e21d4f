#!/usr/bin/env python3
"""Serves speech recognition by the Wyoming protocol, well and badly: each way of answering has a port of its own.

Prints `ready NAME=PORT ...`; ends with its standard input.
"""
import asyncio
import json
import sys
import threading


async def read(reader):
    head = json.loads(await reader.readline())
    data = dict(head.get("data") or {})
    if head.get("data_length"):
        data.update(json.loads(await reader.readexactly(head["data_length"])))
    payload = await reader.readexactly(head.get("payload_length") or 0)
    return head["type"], data, payload


def after(kind, data):
    """The form of the reference implementation: data after the line."""
    content = json.dumps(data).encode()
    return json.dumps({"type": kind, "version": "1.10.2", "data_length": len(content)}).encode() + b"\n" + content


def inline(kind, data):
    return json.dumps({"type": kind, "data": data}).encode() + b"\n"


INFO = {"asr": [{"name": "double", "installed": True, "models": [{"name": "m", "languages": ["en"], "installed": True}]}],
        "tts": [{"name": "voice"}], "attribution": {"text": "nobody"}}


async def recording(reader, writer, empty=False):
    """Takes one recording, and answers `describe` on the way; gives what was sent."""
    sound, language = b"", None
    while True:
        kind, data, payload = await read(reader)
        if kind == "describe":
            writer.write(after("info", {"asr": []} if empty else INFO))
        elif kind == "transcribe":
            language = data["language"]
        elif kind in ("audio-start", "audio-chunk"):
            assert (data["rate"], data["width"], data["channels"]) == (16000, 2, 1), data
            sound += payload
        elif kind == "audio-stop":
            return sound, language


async def well(reader, writer):
    sound, language = await recording(reader, writer)
    writer.write(after("transcript", {"text": f" {len(sound)} bytes in {language}\n"}))


async def tersely(reader, writer):
    sound, language = await recording(reader, writer)
    writer.write(inline("transcript", {"text": f"{len(sound)}", "language": language}))


async def streaming(reader, writer):
    await recording(reader, writer)
    writer.write(after("transcript-start", {"language": "en"}))
    for text in ("two ", "tablets"):
        for byte in after("transcript-chunk", {"text": text}):
            writer.write(bytes([byte]))
            await writer.drain()
    writer.write(inline("transcript-stop", {}))


def answering(answer, empty=False):
    async def serve(reader, writer):
        await recording(reader, writer, empty)
        writer.write(answer)
    return serve


async def never(reader, writer):
    await recording(reader, writer)
    await asyncio.Event().wait()


async def deaf(reader, writer):
    await asyncio.Event().wait()


async def flood(reader, writer):
    await recording(reader, writer)
    while True:
        writer.write(inline("ping", {"text": "a" * 1000}))
        await writer.drain()


WAYS = {
    "well": well, "tersely": tersely, "streaming": streaming, "never": never, "deaf": deaf, "flood": flood,
    "nothing": answering(b""), "wrong": answering(after("transcript", {"text": "bonjour", "language": "fr"})),
    "garbage": answering(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "list": answering(b"[1]\n"),
    "length": answering(b'{"type":"transcript","data_length":-5}\n'),
    "huge": answering(b'{"type":"transcript","payload_length":99999999999}\n'),
    "long": answering(inline("transcript", {"text": "a" * 10_000_000})),
    "error": answering(after("error", {"text": "no model", "code": "model"}), empty=True),
}


async def main():
    ports = []
    for name, way in WAYS.items():
        async def serve(reader, writer, way=way):
            try:
                await way(reader, writer)
                await writer.drain()
            except (ConnectionError, asyncio.IncompleteReadError, json.JSONDecodeError):
                pass
            finally:
                writer.close()
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        ports.append(f"{name}={server.sockets[0].getsockname()[1]}")
    print("ready", *ports, flush=True)
    done = asyncio.Event()
    loop = asyncio.get_running_loop()
    threading.Thread(target=lambda: (sys.stdin.read(), loop.call_soon_threadsafe(done.set)), daemon=True).start()
    await done.wait()


asyncio.run(main())
