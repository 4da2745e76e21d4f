"""Calls through a whole kithd: over the wire, over its death, and as a report that can be read."""
import io
import json
import signal

from conftest import BINARIES
from pypdf import PdfReader
from test_blobs import content, download, opened, upload
from trials import kith


def person(hub, name):
    return hub.reply("People/Create", {"record": {"firstName": name}})["id"]


def test_a_call_survives_the_daemon_while_its_timer_runs(hub):
    ann = person(hub, "Ann")
    call = hub.reply("Calls/Start", {"personId": ann})
    assert call["isRunning"]
    hub.restart(signal.SIGKILL)
    assert hub.error("Calls/Start", {"personId": ann}) == ("FAILED_PRECONDITION", "CALL_RUNNING")
    stopped = hub.reply("Calls/Stop", {"note": "over the restart"})
    assert stopped["id"] == call["id"] and stopped["durationMinutes"] >= 1 and "isRunning" not in stopped
    # Without a Monica account it waits for nothing.
    assert stopped["syncState"] == "here" and "entries" not in hub.reply("Monica/Queue")


def test_a_report_is_made_beside_the_daemon_and_fetched(hub):
    ann = person(hub, "佐藤 花子")
    for day in range(1, 4):
        hub.reply("Calls/Log", {"record": {
            "personId": ann, "calledAt": f"2026-01-0{day}T23:30:00Z", "durationMinutes": 10 * day, "emotion": "happy",
            "note": f"Gespräch Nummer {day}"}})
    blob = hub.reply("Calls/Export", {
        "format": "pdf", "language": "ja", "timeZone": "Asia/Tokyo",
        "filter": {"from": "2026-01-01T15:00:00Z", "to": "2026-01-03T15:00:00Z"}}, timeout=60)
    assert blob["mediaType"] == "application/pdf"
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(download(hub, blob["sha256"]))).pages]
    text = "".join("".join(pages).split())
    assert (BINARIES / "kith-report").exists()
    for part in ("通話の記録", "2026年1月2日", "2026年1月3日", "08:30", "佐藤花子", "GesprächNummer2", "通話2件", "うれしい"):
        assert part in text, part
    assert "Nummer3" not in text


def test_a_recording_stays_with_its_call(hub):
    data, digest = content(700_000, seed=5)
    opened(hub, digest, len(data))
    upload(hub, data, digest)
    call = hub.reply("Calls/Log", {"record": {
        "personId": person(hub, "Ann"), "attachments": [{"sha256": digest, "size": str(len(data)), "mediaType": "audio/wav"}]}})
    assert call["attachments"][0]["sha256"] == digest
    hub.end()
    for file in (hub.directory / "state" / "blobs").glob(f"{digest}*"):
        file.unlink()
    hub.start()
    assert download(hub, digest) == data


def test_an_attachment_is_taken_away_again(hub, tmp_path):
    ann = person(hub, "Ann")
    for name in ("one", "two"):
        (tmp_path / f"{name}.wav").write_bytes(content(1000, seed=len(name) + ord(name[0]))[0])
    line = ["call", "log", ann, *(word for name in ("one", "two") for word in ("--attach", str(tmp_path / f"{name}.wav")))]
    call = json.loads(kith(hub, *line, "--json").stdout)
    assert len(call["attachments"]) == 2
    left = json.loads(kith(hub, "call", "edit", call["id"], "--detach", "1", "--json").stdout)
    assert left["attachments"] == call["attachments"][1:]
    refused = kith(hub, "call", "edit", call["id"], "--detach", "2")
    assert refused.returncode == 1 and "there is no number 2 to remove" in refused.stderr
    assert "attachments" not in json.loads(kith(hub, "call", "edit", call["id"], "--detach", "1", "--json").stdout)


def test_records_name_their_people_and_a_running_call_is_not_counted(hub):
    ann, ben = person(hub, "Ann"), person(hub, "Ben")
    hub.reply("Calls/Log", {"record": {"personId": ann, "durationMinutes": 5}})
    hub.reply("Calls/Start", {"personId": ben})
    assert hub.reply("Calls/Stats")["calls"] == 1
    for method, field, record in (
            ("Notes", "notes", {"body": "Likes tea"}), ("Tasks", "tasks", {"title": "Write"}),
            ("Gifts", "gifts", {"name": "Book", "status": "idea"})):
        hub.reply(f"{method}/Create", {"record": {"personId": ann, **record}})
        (listed,) = hub.reply(f"{method}/List")[field]
        assert listed["personName"] == "Ann"
    hub.reply("Activities/Create", {"record": {"participants": [ann, ben], "summary": "Walk", "happenedOn": "2026-01-02"}})
    (listed,) = hub.reply("Activities/List")["activities"]
    assert listed["participantNames"] == ["Ann", "Ben"]
    hub.reply("People/Delete", {"id": ben})
    assert kith(hub, "activity", "list").stdout.count("Ben") == 1
