"""Assistants: by the official SDK, and message by message."""
import json
import subprocess

from conftest import BINARIES, ROOT

# The SDK, and its mode: the versions with a handshake, and those without.
CLIENTS = [("mcp-1", "legacy"), ("mcp-2", "legacy"), ("mcp-2", "auto"), ("mcp-2", "2026-07-28")]
VERSIONS = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
WRITING = {"care_log", "care_correct", "plan_give", "measure", "call_log", "reminder_done", "remind_to_call"}


def by_sdk(sdk, mode, *place, calls):
    """What an assistant of the SDK got."""
    python = subprocess.run([ROOT / "scripts" / "python-env.sh", sdk], capture_output=True, text=True, check=True).stdout.strip()
    run = subprocess.run([python, ROOT / "Tests" / "assistants" / "client.py", mode, *map(str, place)], input=json.dumps(calls),
                         capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout)


def message(method, parameters=None, number=1):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters or {}}


def tool(name, arguments=None, number=1):
    return message("tools/call", {"name": name, "arguments": arguments or {}}, number)


class Assistant:
    """A `kith mcp` that a test speaks to line by line."""

    def __init__(self, hub, *options):
        self.process = subprocess.Popen(
            [BINARIES / "kith", "mcp", "--runtime-dir", hub.runtime, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, asked):
        self.send(json.dumps(asked).encode() + b"\n")
        return self.read()

    def call(self, name, arguments=None):
        return self.ask(tool(name, arguments))["result"]
