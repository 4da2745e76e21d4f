"""Each example of docs/http.md, as it stands there, against a real kith-web."""
import json
import os
import re
import subprocess
import time

import pytest

from conftest import ROOT
from web import door
from workers import recording

PAGE = (ROOT / "docs" / "http.md").read_text()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What the answer of an example has to contain, by a text that only this example has.
ANSWERS = {
    "$KITH/pair": '"role"',
    "System/Whoami\" -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json'": '"laptop"',
    "curl -sS -G ": "{",
    "fields-2.txt": "true",
    "Connect-Timeout-Ms": "Porridge",
    "x-ndjson": '{"result":',
    "whoami.bin": "application/proto",
    "Care/Get": '"code":"not_found"',
    "$DIGEST": "picture",
    "care/voice": '"record"',
    'healthz"': '"hub":"up"',
    "healthz/findings": '"state":"look"',
    "$ADMIN": "kith_web_hub_up 1",
}


def examples(language):
    """The blocks of a language."""
    return [text for kind, text in BLOCK.findall(PAGE) if kind == language]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A door, and a folder and an environment in which its examples run one after the other."""
    folder = tmp_path_factory.mktemp("page")
    with door() as front:
        recording(folder / "recording.wav")
        invitation = front.hub.reply("Devices/Invite", {"name": "laptop", "role": "recorder"})
        yield front, folder, {**os.environ, "KITH": front.url, "CODE": invitation["code"],
                              "ADMIN": front.device("auditor", "admin").token}


def test_every_example_of_the_shell(place):
    _, folder, environment = place
    blocks = examples("sh")
    end = "-- the end of an example --"
    script = "set -euo pipefail\n" + "".join(f"{block}echo\necho '{end}'\n" for block in blocks)
    run = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=100)
    answers = run.stdout.split(end)[:-1]
    assert run.returncode == 0 and len(answers) == len(blocks), (run.stdout, run.stderr)
    for block, answer in zip(blocks, answers):
        (expected,) = [words for mark, words in ANSWERS.items() if mark in block] or [None]
        assert expected and expected in answer, (block, answer)
    shown, health = map(json.loads, examples("json"))
    assert json.loads(answers[0]) == shown
    answered = next(json.loads(answer) for block, answer in zip(blocks, answers) if "healthz/findings" in block)
    assert answered.keys() == health.keys()
    assert {key for finding in answered["findings"] for key in finding} == health["findings"][0].keys()


def test_the_reader_of_events(place):
    front, folder, environment = place
    device = front.device("reader")
    (reader,) = examples("python")
    assert len(reader.splitlines()) <= 12
    with subprocess.Popen(["python3", "-c", reader], cwd=folder, env={**environment, "TOKEN": device.token},
                          stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "position {}\n"
            made = device.reply("Care/Record", {"category": "meal", "memo": "Soup"})["record"]
            line = process.stdout.readline()
            assert line.startswith("message ") and made["id"] in line, line
        finally:
            process.kill()


def test_the_programs_of_examples_http(place):
    front, folder, environment = place
    token = folder / "token"
    token.write_text(front.device("program").token + "\n")
    environment = {**environment, "KITH_URL": front.url, "KITH_TOKEN_FILE": str(token)}
    programs, position = ROOT / "examples" / "http", folder / "position"

    def record(*words):
        run = subprocess.run(["python3", programs / "record.py", *words], env=environment, capture_output=True, text=True, timeout=60)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    def reached(line):
        # Events of earlier examples may follow: the position is then further on.
        return position.exists() and int(position.read_text().rsplit("=")[1]) >= int(line["id"].rsplit("=")[1])

    def follow(act):
        """The first line, and the one that tells of the entry that `act` gives."""
        with subprocess.Popen(["python3", programs / "follow.py", "--position", position, "care"], env=environment,
                              stdout=subprocess.PIPE, text=True) as process:
            try:
                first = line = json.loads(process.stdout.readline())
                made = act()
                while made["id"] not in json.dumps(line["data"]):
                    line = json.loads(process.stdout.readline())
                # A line is printed before its position is kept.
                end = time.monotonic() + 30
                while not reached(line):
                    assert time.monotonic() < end, "the position is not kept"
                    time.sleep(0.01)
                return first, line
            finally:
                process.kill()

    first, told = follow(lambda: record("meal", "Rice"))
    assert (first["kind"], told["kind"]) == ("position", "message")
    missed = record("meal", "Tea")
    assert follow(lambda: missed)[1]["kind"] == "message", "what happened between two readers"
    spoken = record("--sound", folder / "recording.wav", "meal")
    assert spoken["category"] == "meal" and spoken["state"] != "recording"
    assert spoken["id"] in json.dumps(front.hub.reply("Care/List"))


def test_every_bound_of_the_page_is_one_of_the_code():
    rules = "".join(path.read_text() for path in (ROOT / "Sources" / "WebRules").rglob("*.swift"))
    reasons = re.findall(r"`([A-Z]+(?:_[A-Z]+)+)`", PAGE.split("\n## Bounds\n")[1].split("\n## ")[0])
    assert len(reasons) == 6
    for reason in reasons:
        assert f'"{reason}"' in rules, reason

