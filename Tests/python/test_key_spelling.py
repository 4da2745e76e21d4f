"""A key from one machine to the other, as people carry it: what is printed is pasted into a shell."""
import json
import os
import re
import stat
import subprocess
import sys

import pytest
from zmq.utils import z85

from conftest import BINARIES, EXAMPLES
from keyed import Key, tcp_hub


def pasted(shell, line, home):
    """What a line does that was pasted into a shell of a new user, with `kith` on the path."""
    bin = home / "bin"
    bin.mkdir(exist_ok=True)
    (bin / "kith").exists() or (bin / "kith").symlink_to(BINARIES / "kith")
    environment = {"HOME": str(home), "PATH": f"{bin}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    run = subprocess.run([shell, "-c", line], capture_output=True, text=True, env=environment, cwd=home, timeout=60)
    assert run.returncode == 0, (line, run.stdout, run.stderr)
    return run.stdout


def command_in(text, words):
    """The command that a text gives to be pasted."""
    found = re.search(rf"kith {words}.*", text)
    assert found, text
    return found[0]


@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_what_is_printed_can_be_pasted(shell, tmp_path):
    # A key of the server that a shell would not take as it is: nearly every one, as Z85.
    with tcp_hub() as hub:
        new = command_in(hub.local("keys", "show"), "keys new")
        assert z85.decode(hub.server_key.encode()).hex() in new
        made = pasted(shell, new, tmp_path)
        file = tmp_path / ".config" / "kith" / "key"
        assert file.read_text().count("server ") == 1
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (file, file.parent, file.parent.parent)}
        assert modes == {"key": 0o600, "kith": 0o700, ".config": 0o700}
        approve = command_in(made, "keys approve")
        pasted(shell, approve.replace("kith ", f"kith --runtime-dir {hub.runtime} ", 1), tmp_path)
        assert json.loads(hub.remote(file, "--json", "ping")) == {}
        assert hub.end() == 0


def test_a_key_is_taken_in_either_spelling(tmp_path):
    with tcp_hub() as hub:
        server = z85.decode(hub.server_key.encode()).hex()
        for name, spelled in {"one": hub.server_key, "two": server, "three": server.upper()}.items():
            key = Key()
            public = z85.decode(key.public).hex()
            approved = hub.reply("Keys/Approve", {"publicKeyZ85": public, "name": name})
            assert (approved["publicKeyZ85"], approved["fingerprint"]) == (key.public.decode(), key.fingerprint)
            # The file in hex as well, as a person or another program may write it.
            file = tmp_path / name
            file.write_text(f"secret {z85.decode(key.secret).hex()}\npublic {public}\nserver {server}\n")
            file.chmod(0o600)
            environment = {**os.environ, "KITH_KEY": str(file)}
            sent = subprocess.run(
                [sys.executable, EXAMPLES / "send.py", "--hub", f"tcp://127.0.0.1:{hub.port}", "kith.v1.System/Ping"],
                capture_output=True, text=True, env=environment, timeout=60)
            assert sent.returncode == 0, sent.stderr
            assert json.loads(hub.remote(file, f"--server-key={spelled}", "--json", "ping")) == {}
            assert json.loads(hub.remote(file, "--json", "ping")) == {}
        wrong = hub.remote(file, "--server-key", server[:-1], "ping", code=1)
        assert "64" in wrong and "kith keys show" in wrong, wrong
        assert hub.error("Keys/Approve", {"publicKeyZ85": server + "0", "name": "four"})[1] == "FIELD_INVALID"
        assert hub.end() == 0


def test_a_folder_that_is_there_keeps_its_mode(tmp_path):
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o755)
    subprocess.run([BINARIES / "kith", "keys", "new", "--file", folder / "key"], check=True, capture_output=True, timeout=60)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
