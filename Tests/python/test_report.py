"""The PDF of kith-report, read back as text."""
import io
import subprocess

import pytest
from conftest import BINARIES
from messages import TYPES
from pypdf import PdfReader

PROGRAM = BINARIES / "kith-report"
PICTURES = [TYPES["kith.v1.BlobRef"](sha256=digit * 64, media_type=kind) for digit, kind in [("a", "image/jpeg"), ("b", "image/png"),
                                                                                          ("c", "audio/wav")]]
NOTE = "We spoke about the garden. " * 8


def run(message, **environment):
    body = message if isinstance(message, bytes) else message.SerializeToString()
    return subprocess.run([PROGRAM], input=body, capture_output=True, timeout=60, env={"HOME": "/tmp", **environment})


def report(days, language="en", **fields):
    message = TYPES["kith.v1.CallReport"](language=language, time_zone="Asia/Tokyo", made_on="2026-02-01", **fields)
    for date, calls in days:
        day = message.days.add(date=date)
        for time, call in calls:
            day.entries.add(time=time).call.CopyFrom(TYPES["kith.v1.Call"](**call))
    return message


def pages(outcome):
    assert outcome.returncode == 0, outcome.stderr
    return [page.extract_text() for page in PdfReader(io.BytesIO(outcome.stdout)).pages]


def words(text):
    """Lines are broken and columns stand side by side, so text is compared without white space."""
    return "".join(text.split())


def test_says_everything_of_the_calls():
    message = report(
        [("2026-01-31", [("14:05", dict(person_name="Ann Lee", duration_minutes=12, emotion="happy", note=NOTE,
                                        tags=["garden"], attachments=PICTURES))]),
         ("2026-01-05", [("09:00", dict(person_name="Zoë Brûlé", note="Привет\nsecond line", they_called=True))])],
        **{"from": "2026-01-01", "to": "2026-01-31", "tag": "garden"})
    message.stats.calls = 2
    message.stats.minutes = 72
    message.stats.average_minutes = 12.26
    message.stats.emotions["happy"] = 1
    outcome = run(message)
    (text,) = pages(outcome)
    for part in ("Calls", "#garden", "Thursday, 1 January 2026", "Saturday, 31 January 2026", "(Asia/Tokyo)", "2 calls",
                 "1 h 12 min in total", "12.3 min on average", "Happy 1", "14:05", "Ann Lee", "they called", "12",
                 NOTE, "2 pictures", "Monday, 5 January 2026", "Zoë Brûlé", "Привет", "second line", "Made on Sunday, 1 February 2026"):
        assert words(part) in words(text), part
    assert outcome.stderr == b""
    assert PdfReader(io.BytesIO(outcome.stdout)).metadata.title == "Calls"


def test_is_set_in_japanese():
    message = report(
        [("2026-01-05", [("09:00", dict(person_name="佐藤 花子", emotion="excited", note="来週の旅行について話した。", they_called=True))])],
        language="ja")
    message.stats.calls = 1
    outcome = run(message)
    (text,) = pages(outcome)
    for part in ("通話の記録", "全期間", "通話 1 件", "2026年1月5日（月）", "佐藤 花子", "わくわく", "来週の旅行について話した。", "着信"):
        assert words(part) in words(text), part
    assert outcome.stderr == b""


def test_notes_and_days_run_over_pages_with_their_numbers():
    sentence = "0123456789 " * 450
    calls = [(f"{index // 60:02}:{index % 60:02}", dict(person_name=f"Person {index}", note=sentence if index == 3 else "x"))
             for index in range(120)]
    texts = pages(run(report([("2026-01-05", calls)])))
    assert len(texts) > 3
    whole = words("".join(texts))
    assert all(words(f"Person {index}") in whole for index in range(120))
    assert whole.count("0123456789") == 450
    assert all(text.strip().split("\n")[-1].strip() == str(number) for number, text in enumerate(texts, 1))
    assert words("Monday, 5 January 2026 (continued)") in words(texts[1])


def test_a_report_of_nothing_says_so():
    assert words("There are no calls in this range.") in words(pages(run(report([])))[0])


def test_characters_without_a_font_are_named():
    # A private character, which no font has.
    outcome = run(report([("2026-01-05", [("09:00", dict(person_name="Ann \U000F1234"))])]))
    assert words("Some characters could not be printed") in words(pages(outcome)[0])
    assert "U+F1234" in outcome.stderr.decode()


@pytest.mark.parametrize("body", [b"\xff\xff\xff", b"not a message"])
def test_what_is_no_report_is_refused(body):
    outcome = run(body)
    assert outcome.returncode == 65 and outcome.stdout == b"" and b"not a report" in outcome.stderr


def test_a_closed_output_is_an_error():
    message = report([("2026-01-05", [("09:00", dict(person_name="Ann"))])]).SerializeToString()
    with open("/dev/full", "wb") as full:
        outcome = subprocess.run([PROGRAM], input=message, stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert outcome.returncode == 74 and b"cannot be written" in outcome.stderr
