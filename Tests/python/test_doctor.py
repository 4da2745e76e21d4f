"""What `kith doctor` says of a household where something is wrong, each time made for real."""
import json
import os
import pathlib
import shutil
import subprocess
from datetime import datetime, timedelta, timezone

import pytest

from channels import add
from conftest import BINARIES, CONFIGURATION, Hub
from recipients import MessageServer
from test_clock_back import LIBRARIES, needs_faketime
from test_disk_full import SmallDisk
from trials import add_folder, make_folder, needs_root, sync

SUBJECTS = {"kithd", "versions", "configuration", "folders", "database", "clock", "network", "sources", "transcription",
            "converter", "channels", "backup"}


class Doctor:
    def __init__(self, hub, *arguments, under=(), **environment):
        """Runs it beside a hub, whether that runs or not."""
        self.places = {"KITH_STATE_DIR": str(hub.directory / "state"), "KITH_CONFIG": str(hub.directory / "config.toml")}
        self.run = subprocess.run(
            [*under, BINARIES / "kith", "doctor", "--runtime-dir", hub.runtime, *arguments], capture_output=True, text=True,
            timeout=60, env={**os.environ, "LC_ALL": "C.UTF-8", **self.places, **environment})
        self.code, self.output = self.run.returncode, self.run.stdout

    def of(self, subject):
        found = json.loads(self.output)["findings"]
        return [entry for entry in found if entry["subject"] == subject]

    def states(self, subject):
        return {entry["state"] for entry in self.of(subject)}


def diagnose(hub, *arguments, **options):
    doctor = Doctor(hub, "--json", *arguments, **options)
    assert doctor.output, doctor.run.stderr
    needs = any(entry["state"] == "bad" for entry in json.loads(doctor.output)["findings"])
    assert doctor.code == (1 if needs else 0)
    return doctor


def backup(hub, path):
    subprocess.run([BINARIES / "kith", "backup", path, "--runtime-dir", hub.runtime], check=True, capture_output=True)


def test_a_household_in_order_needs_nobody(hub, tmp_path):
    folder = tmp_path / "cards"
    make_folder(folder, 3)
    add_folder(hub, "home", folder)
    sync(hub, "home")
    backup(hub, tmp_path / "backup.db")
    doctor = diagnose(hub)
    assert {entry["subject"] for entry in json.loads(doctor.output)["findings"]} == SUBJECTS
    assert doctor.code == 0 and doctor.states("backup") == doctor.states("sources") == doctor.states("database") == {"good"}
    # Each line of the report for people says what and how, and ends with a verdict.
    for language, words in ("C.UTF-8", ["good", "backup", "look at"]), ("ja_JP.UTF-8", ["良好", "バックアップ", "確認"]):
        report = Doctor(hub, LC_ALL=language)
        assert report.code == 0 and all(word in report.output for word in words), report.output


def test_without_a_backup_somebody_is_needed(hub, tmp_path):
    doctor = diagnose(hub)
    assert doctor.states("backup") == {"bad"} and doctor.of("backup")[0]["advice"].startswith("kith backup FILE")
    backup(hub, tmp_path / "backup.db")
    assert diagnose(hub).states("backup") == {"good"}
    hub.restart(15)
    assert diagnose(hub).states("backup") == {"good"}, "it is remembered over a restart"


@needs_root
def test_a_full_state_directory():
    disk = SmallDisk()
    try:
        subprocess.run(["mount", "-o", "remount,size=256m", disk.path], check=True)
        disk.hub.start()
        assert "bad" not in diagnose(disk.hub).states("folders")
        disk.fill(leave=1 << 20)
        doctor = diagnose(disk.hub)
        assert [entry["state"] for entry in doctor.of("folders")][0] == "bad" and "full" in doctor.of("folders")[0]["found"]
        assert str(disk.path) in doctor.of("folders")[0]["advice"]
        disk.free()
        assert "bad" not in diagnose(disk.hub).states("folders")
    finally:
        disk.remove()


@pytest.mark.parametrize("running", [True, False], ids=["running", "stopped"])
def test_a_state_directory_that_others_can_read(hub, running):
    (hub.directory / "state").chmod(0o755)
    if not running:
        hub.end()
    doctor = diagnose(hub)
    assert {"found": f"Other users can look into {hub.directory}/state.", "advice": f"chmod 700 {hub.directory}/state",
            "state": "bad", "subject": "folders"} in doctor.of("folders")
    (hub.directory / "state").chmod(0o500)
    assert any("cannot write" in entry["found"] for entry in diagnose(hub).of("folders"))
    (hub.directory / "state").chmod(0o700)


def test_a_kithd_that_does_not_run(unstarted):
    doctor = diagnose(unstarted)
    assert doctor.code == 1 and doctor.states("kithd") == {"bad"}
    assert "journalctl" in doctor.of("kithd")[0]["advice"]
    assert {"configuration", "folders", "database", "clock", "converter"} <= {
        entry["subject"] for entry in json.loads(doctor.output)["findings"]}
    (unstarted.directory / "config.toml").unlink()
    assert diagnose(unstarted).states("configuration") == {"bad"}
    assert "kithd が動いていません" in Doctor(unstarted, LC_ALL="ja_JP.UTF-8").output


def test_wrong_options_are_no_finding(hub):
    doctor = Doctor(hub, "--key", "/nowhere")
    assert doctor.code == 1 and not doctor.output and "--hub" in doctor.run.stderr


@needs_faketime
@pytest.mark.parametrize(("by", "said"), [("+9h", "clock says"), ("-3y", "clock says")])
def test_a_clock_that_is_wrong(unstarted, by, said):
    places = {"KITH_STATE_DIR": unstarted.directory / "state", "KITH_RUNTIME_DIR": unstarted.runtime,
              "KITH_CONFIG": unstarted.directory / "config.toml"}
    unstarted.environment = {"LD_PRELOAD": str(LIBRARIES[-1]), "FAKETIME": by, "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                             **{name: str(place) for name, place in places.items()}}
    unstarted.start()
    doctor = diagnose(unstarted)
    assert doctor.states("clock") == {"bad"} and said in doctor.of("clock")[0]["found"]
    assert unstarted.end() == 0


class WithoutFFmpeg(Hub):
    """A hub on a machine that has no ffmpeg."""

    def command_line(self):
        hidden = [path for path in ("/usr/bin/ffmpeg", "/usr/bin/ffprobe") if pathlib.Path(path).exists()]
        hide = "".join(f"mount --bind /dev/null {path} && " for path in hidden)
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", hide + 'exec "$0" "$@"', *super().command_line()]


@needs_root
def test_a_missing_ffmpeg():
    hub = WithoutFFmpeg()
    try:
        doctor = diagnose(hub.start())
        assert doctor.of("converter") == [{
            "subject": "converter", "state": "look", "advice": "sudo apt-get install ffmpeg",
            "found": "ffmpeg is not installed: only WAV can be transcribed, no recordings of phones."}]
        assert hub.end() == 0
    finally:
        hub.remove()


def test_an_address_book_that_is_gone(hub, tmp_path):
    folder = tmp_path / "cards"
    make_folder(folder, 3)
    add_folder(hub, "home", folder)
    sync(hub, "home")
    shutil.rmtree(folder)
    hub.ask("Contacts/Sync", {"sources": ["home"]})
    doctor = diagnose(hub)
    assert doctor.states("sources") == {"bad"} and "home" in doctor.of("sources")[0]["found"]
    status = subprocess.run(
        [BINARIES / "kith", "status", "--runtime-dir", hub.runtime], capture_output=True, text=True, check=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout.splitlines()
    assert status[0] == "1 thing needs you:" and "home" in status[1], status
    assert len(status) <= 24


def test_channels_are_tried_only_when_asked(hub):
    server = MessageServer().start()
    try:
        add(hub, "phone", "ntfy", address=server.url, topic="care")
        assert diagnose(hub).states("channels") == {"good"} and not server.seen
        server.answer({"status": 403})
        doctor = diagnose(hub, "--send")
        assert doctor.states("channels") == {"bad"} and doctor.of("channels")[0]["advice"] == "kith channels test phone"
        assert diagnose(hub).states("channels") == {"bad"}, "the last delivery is known"
        diagnose(hub, "--send")
        assert diagnose(hub).states("channels") == {"good"}
    finally:
        server.remove()


def test_a_certificate_that_ends(hub):
    """As kith-web announces it."""
    now = datetime.now(timezone.utc)
    for days, state in ((90, "good"), (5, "look"), (-1, "bad")):
        end = (now + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
        hub.reply("Devices/Announce", {"url": "https://kith.home.arpa", "tls": "own-ca", "certificateExpires": end})
        assert diagnose(hub).states("web") == {state}, days
    hub.reply("Devices/Announce", {"url": "https://kith.home.arpa", "tls": "own-ca", "fault": "The key cannot be read."})
    assert diagnose(hub).of("web")[0]["found"] == "The key cannot be read."


@needs_root
def test_somebody_who_may_only_read(unstarted):
    (unstarted.directory / "config.toml").write_text(CONFIGURATION + '[users]\nnobody = "viewer"\n')
    unstarted.directory.chmod(0o711)
    hub = unstarted.start()
    doctor = Doctor(hub, "--json", under=["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"])
    assert any("not admin" in entry["found"] for entry in doctor.of("kithd")), doctor.output + doctor.run.stderr
    assert doctor.states("database") == {"good"} and not doctor.of("backup")
