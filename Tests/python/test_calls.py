"""Calls through a whole kithd: over the wire, over its death, and as a report that can be read."""
import io
import signal

from conftest import BINARIES
from pypdf import PdfReader
from test_blobs import content, download, opened, upload


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
    queue = hub.reply("Monica/Queue")["entries"]
    assert [entry["kind"] for entry in queue] == ["person", "call"]


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
