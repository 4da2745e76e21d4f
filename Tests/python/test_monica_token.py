"""Where the API token must never be."""
import base64
import os
import pathlib
import secrets
import stat
import threading

from monica_home import home
from servers import Monica
from trials import dense, kith

STREAMS = ("sync", "people", "calls", "conversations", "system")


def spellings(token):
    """How a token could stand somewhere: as it is, its middle, and encoded."""
    return [token.encode(), token[40:80].encode(), base64.b64encode(token.encode())[:80]]


def files(folder):
    for path in folder.rglob("*"):
        try:
            if path.is_file():
                yield path, path.read_bytes()
        except FileNotFoundError:
            continue


def processes():
    """What every process shows of itself, but for this one, which made the token."""
    for process in pathlib.Path("/proc").iterdir():
        if not process.name.isdecimal() or int(process.name) == os.getpid():
            continue
        for name in ("cmdline", "environ"):
            try:
                yield process / name, (process / name).read_bytes()
            except OSError:
                continue


def holding(household, token):
    found = [path for path, content in [*files(household.hub.directory), *processes()]
             if any(each in content for each in spellings(token))]
    return found


def test_the_token_is_in_its_own_file_alone(tmp_path):
    # As long as Monica's, and of the letters that those have.
    token = "eyJ0eXAiOiJKV1Qi." + secrets.token_urlsafe(700)
    file = tmp_path / "token"
    file.touch(0o600)
    file.write_text(token)
    double = Monica("double", rate_limit=0, contacts=60)
    try:
        # Not on the command line of the server either.
        double.start().config(token=token, latency_ms=20)
        with home(double, login=False) as household:
            hub = household.hub
            seen, runs = set(), []
            login = kith(hub, "monica", "login", "--endpoint", double.url, "--token-file", file)
            runs.append(login)
            assert login.returncode == 0, login.stderr
            sync = threading.Thread(target=lambda: runs.append(kith(hub, "monica", "sync", "--full")))
            sync.start()
            looks = 0
            while sync.is_alive() or looks == 0:
                seen |= set(holding(household, token))
                looks += 1
            sync.join()
            # Pushes, failures, a refusal, a backup and another start.
            household.log(household.person("Ann")["id"], "hello")
            double.faults({"status": 500, "times": 2}, {"drop": True})
            household.settle()
            hub.reply("System/Backup")
            runs += [kith(hub, "monica", "status"), kith(hub, "monica", "status", "--json")]
            double.config(token="another")
            household.sync()
            # What was held against the double is the old one again.
            double.config(token=token)
            assert kith(hub, "monica", "login", "--endpoint", double.url, "--token-file", file).returncode == 0
            hub.end()
            hub.start()
            household.settle()
            seen |= set(holding(household, token))
            (own,) = seen
            assert own.parent == hub.directory / "state" / "secrets" and own.name.startswith("monica-"), seen
            assert stat.S_IMODE(own.stat().st_mode) == 0o600 and stat.S_IMODE(own.parent.stat().st_mode) == 0o700
            told = [str(dense(hub, stream)) for stream in STREAMS] + [run.stdout + run.stderr for run in runs]
            told += [str(hub.reply(f"Monica/{method}")) for method in ("Status", "Queue", "Conflicts", "Catalog")]
            assert not any(each in text.encode() for text in told for each in spellings(token))
            assert token[-4:] in runs[2].stdout and token[-5:] not in runs[2].stdout, "the last four are shown"
            assert kith(hub, "monica", "logout").returncode == 0
            assert holding(household, token) == [] and not own.exists()
    finally:
        double.remove()
    print(f"token looked for {looks} times while a sync ran")
