"""Where `kith` writes and reads files: pipes, devices, links, standard input and output, as other programs have them."""
import json
import os
import pathlib
import stat
import subprocess
import threading

import pytest

import cards
from conftest import BINARIES


@pytest.fixture(scope="module")
def home(shared_hub, tmp_path_factory):
    """A hub with three contacts and an entry of care."""
    folder = tmp_path_factory.mktemp("cards")
    cards.make(3, folder)
    shared_hub.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(folder)}})
    shared_hub.reply("Contacts/Sync", {"sources": ["home"]}, timeout=60)
    shared_hub.reply("Care/Record", {"category": "meal", "memo": "soup"})
    return shared_hub


def kith(home, *arguments, **options):
    options = {"capture_output": True, "timeout": 60, **options}
    environment = {**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        [BINARIES / "kith", "--runtime-dir", home.runtime, *map(str, arguments)], env=environment, **options)


# Each command that writes a file, without the path, and how what it writes begins.
WRITERS = [
    (("contacts", "export", "-o"), b"BEGIN:VCARD"), (("care", "export", "-o"), b"\xef\xbb\xbf"),
    (("call", "export", "--format", "json", "-o"), b'{"calls"'), (("backup",), b"SQLite format 3"),
    (("care", "share", "--lang", "en", "--file"), b"[Care log]"),
]
NAMES = [" ".join(command[:2]) for command, _ in WRITERS]


@pytest.mark.parametrize(("command", "head"), WRITERS, ids=NAMES)
def test_a_pipe_and_a_device_are_written_to_and_stay(home, tmp_path, command, head):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    read = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()), daemon=True)
    reader.start()
    run = kith(home, *command, fifo)
    if not read:
        # Lets the reader go where nothing was written.
        os.close(os.open(fifo, os.O_RDWR | os.O_NONBLOCK))
    assert run.returncode == 0, run.stderr
    assert stat.S_ISFIFO(fifo.lstat().st_mode)
    reader.join(60)
    assert read[0].startswith(head), read[0][:40]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fifo"]

    null = tmp_path / "null"
    try:
        os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        null.open("wb").close()
    except PermissionError:
        return
    assert kith(home, *command, null).returncode == 0
    assert stat.S_ISCHR(null.lstat().st_mode)


@pytest.mark.parametrize(("command", "head"), WRITERS, ids=NAMES)
def test_links_are_followed_and_files_keep_their_mode(home, tmp_path, command, head):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    target, link, chain = folder / "target", tmp_path / "link", tmp_path / "chain"
    link.symlink_to("elsewhere/target")
    chain.symlink_to(link)
    # Of a link to nothing its target is made, for its owner alone.
    assert kith(home, *command, chain).returncode == 0
    assert chain.is_symlink() and link.is_symlink() and target.read_bytes().startswith(head)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    target.write_bytes(b"old")
    target.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(target, 4711, 4712)
    assert kith(home, *command, link).returncode == 0
    assert link.is_symlink() and target.read_bytes().startswith(head)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    if os.geteuid() == 0:
        assert (target.stat().st_uid, target.stat().st_gid) == (4711, 4712)
    assert [path.name for path in folder.iterdir()] == ["target"]


@pytest.mark.parametrize(("command", "head"), WRITERS, ids=NAMES)
@pytest.mark.parametrize("path", ["-", "/dev/stdout", "/dev/fd/1"])
def test_standard_output_has_the_file_and_nothing_else(home, tmp_path, command, head, path):
    run = kith(home, *command, path, cwd=tmp_path)
    assert run.returncode == 0 and run.stdout.startswith(head), run
    assert b"Wrote" not in run.stdout and list(tmp_path.iterdir()) == []
    # What is appended to is not overwritten.
    log = tmp_path / "log"
    log.write_bytes(b"before\n")
    with log.open("ab") as file:
        assert kith(home, *command, path, cwd=tmp_path, stdout=file, capture_output=False).returncode == 0
    assert log.read_bytes().startswith(b"before\n" + head)


def test_folders_and_protected_files_are_refused(home, tmp_path):
    for path in (tmp_path, tmp_path / "missing" / "file"):
        run = kith(home, "contacts", "export", "-o", path)
        assert run.returncode == 1 and b"cannot be written" in run.stderr
    assert list(tmp_path.iterdir()) == []
    assert kith(home, "keys", "new", "--file", "-", cwd=tmp_path).returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_a_secret_comes_on_standard_input(home, tmp_path):
    add = ("channels", "add", "family", "--ntfy", "topic", "--server", "http://127.0.0.1:9", "--secret-file", "-")
    run = kith(home, *add, input=b"")
    assert run.returncode == 1 and b"--secret-file -" in run.stderr
    run = kith(home, *add, input=b"tk_secret\n")
    assert run.returncode == 0, run.stderr
    kept = home.directory / "state" / "secrets" / "channel-family"
    assert kept.read_text().strip() == "tk_secret"
    assert kith(home, "channels", "login", "family", "--secret-file", "-", input=b"tk_other").returncode == 0
    assert kept.read_text().strip() == "tk_other"
    # A server that is not there is asked about with the password that came.
    source = ("contacts", "source", "add", "work", "--carddav", "http://127.0.0.1:9", "--username", "ann",
              "--password-file", "-")
    run = kith(home, *source, input=b"secret\n")
    assert b"PASSWORD_MISSING" not in run.stderr and b"No password" not in run.stderr
    run = kith(home, "--json", "monica", "login", "--endpoint", "http://127.0.0.1:9", "--token-file", "-", input=b"")
    assert json.loads(run.stderr)["reason"] == "TOKEN_MISSING"
    run = kith(home, "--json", "monica", "login", "--endpoint", "http://127.0.0.1:9", "--token-file", "-", input=b"token")
    assert json.loads(run.stderr)["reason"] != "TOKEN_MISSING"


@pytest.mark.parametrize("way", ["input", "pipe", "fifo"])
def test_an_attachment_comes_on_standard_input_or_through_a_pipe(home, tmp_path, way):
    person = home.reply("People/Create", {"record": {"firstName": f"Ann {way}"}})["id"]
    picture = os.urandom(700_000)
    path, options = "-", {"input": picture}
    if way == "fifo":
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        threading.Thread(target=lambda: fifo.write_bytes(picture), daemon=True).start()
        path, options = fifo, {}
    elif way == "pipe":
        (tmp_path / "picture").write_bytes(picture)
        options = {"stdin": (tmp_path / "picture").open("rb")}
    run = kith(home, "--json", "call", "log", person, "--attach", path, **options)
    assert run.returncode == 0, run.stderr
    call = json.loads(run.stdout)["id"]
    assert kith(home, "call", "attachment", call, "-o", "-").stdout == picture


def test_a_recording_comes_on_standard_input(home):
    sound = pathlib.Path("/dev/urandom").open("rb").read(100_000)
    run = kith(home, "--json", "care", "voice", "--file", "-", "--no-wait", input=sound)
    assert run.returncode == 0, run.stderr
    identity = json.loads(run.stdout)["record"]["id"]
    kept = home.directory / "state" / "audio" / identity
    # It is no recording, so it is kept until somebody decides.
    assert kept.read_bytes() == sound
