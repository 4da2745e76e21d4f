"""The PDF of `kith-report care`, read back as text: much of everything, long texts, odd values."""
import datetime
import io
import subprocess
import unicodedata

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from pypdf import PdfReader

from conftest import BINARIES
from messages import TYPES

FIRST = datetime.datetime(2026, 10, 1, tzinfo=datetime.UTC)


def stamp(day, hour, minute=0):
    time = Timestamp()
    time.FromDatetime((FIRST + datetime.timedelta(days=day, hours=hour, minutes=minute)).replace(tzinfo=None))
    return time


def report(days, **fields):
    last = FIRST + datetime.timedelta(days=days - 1)
    return TYPES["kith.v1.CareReport"](
        language="en", time_zone="UTC", made_at=stamp(days, 9), until=f"{last:%Y-%m-%d}", **{"from": f"{FIRST:%Y-%m-%d}"}, **fields)


def pages(message):
    body = message if isinstance(message, bytes) else message.SerializeToString()
    outcome = subprocess.run([BINARIES / "kith-report", "care"], input=body, capture_output=True, timeout=120, env={"HOME": "/tmp"})
    assert outcome.returncode == 0, outcome.stderr
    return [page.extract_text() for page in PdfReader(io.BytesIO(outcome.stdout)).pages]


def words(text):
    # Some fonts join f and l.
    return "".join(unicodedata.normalize("NFKC", text).split())


def due(day, item, hour, state, minute=0, **fields):
    one = day.dues.add(state=state, amount="1", **fields)
    one.item.CopyFrom(TYPES["kith.v1.PlanItem"](id=item, name=item, unit="tablet"))
    one.due.CopyFrom(stamp(datetime.date.fromisoformat(day.day).toordinal() - FIRST.date().toordinal(), hour, minute))
    return one


def test_many_items_and_days_go_over_pages_and_none_is_lost():
    message = report(40, recipient="Yoshiko Sato")
    for number in range(60):
        item = message.items.add(id=f"i{number}", name=f"Medicine {number}", note="Take it slowly. " * (120 if number == 7 else 1), state="active")
        item.times.add(time="08:00")
        said = TYPES["kith.v1.PlanItem"].FromString(item.SerializeToString())
        for day, amount in ((2, "1"), (20, "3")):
            said.amount = amount
            item.versions.add(valid_from=stamp(day, 10), item=said)
    for number in range(40):
        day = message.days.add(day=f"{FIRST + datetime.timedelta(days=number):%Y-%m-%d}", time_zone="UTC")
        for item in range(60):
            due(day, f"Medicine {item}", 8, "missed" if item % 2 else "given")
    for number in range(400):
        message.measurements.add(kind="pulse", value=str(60 + number % 30), unit="/min", occurred_at=stamp(number // 10, number % 10), note=f"n{number}.")
        message.entries.add(category="meal", memo=f"Soup {number}.", occurred_at=stamp(number // 10, number % 10))
    texts = pages(message)
    whole = words("".join(texts))
    assert len(texts) > 20 and all(text.strip().split("\n")[-1].strip() == str(number) for number, text in enumerate(texts, 1))
    # Pages come apart: each but the first, which names them, says whose it is, and of which days.
    head = words("Care report · Yoshiko Sato · Thursday, 1 October 2026 – Monday, 9 November 2026")
    assert [words(text).startswith(head) for text in texts] == [False] + [True] * (len(texts) - 1)
    assert all(words(f"Medicine {number}") in whole and words(f"n{number}.") in whole for number in range(60))
    assert all(words(f"Soup {number}.") in whole for number in range(400))
    assert whole.count("slowly.") == 59 + 120
    # Two weeks beside each other: 40 days are three tables. Legend and signs.
    assert all(words(f"{first} – {last}") in whole for first, last in (("1 Oct", "14 Oct"), ("15 Oct", "28 Oct"), ("29 Oct", "9 Nov")))
    assert whole.count("●") == 30 * 40 + 3 and whole.count("×") == 30 * 40 + 1


def test_an_item_of_many_times_has_one_row():
    message = report(3)
    for number in range(3):
        day = message.days.add(day=f"2026-10-0{number + 1}", time_zone="UTC")
        for hour in range(0, 24, 2):
            due(day, "Drops", hour, "given", minute=number)
    text = words("".join(pages(message)))
    assert words("Drops: given 36 of 36") in text and text.count("Drops") == 2


@pytest.mark.parametrize("values", [["37"], ["37", "37"], ["0", "0"], ["0.01", "0.02"], ["1", "999999"], ["120"] * 2000])
def test_values_of_any_size_make_a_picture(values):
    message = report(28)
    for number, value in enumerate(values):
        message.measurements.add(kind="other", name="own", value=value, unit="unit " * 10, occurred_at=stamp(number % 28, 8))
    assert words("own: ") in words(pages(message)[0])


def test_a_pair_and_a_sum_are_drawn_and_an_unknown_kind_is_named():
    message = report(5)
    for number in range(5):
        message.measurements.add(kind="blood_pressure", value="17.3", lower="10.7", unit="kPa", occurred_at=stamp(number, 8))
        message.measurements.add(kind="fluid_in", value="8", unit="fl oz", occurred_at=stamp(number, 9))
        message.measurements.add(kind="humidity", value="40", unit="%", occurred_at=stamp(number, 9))
    text = words("".join(pages(message)))
    for part in ("● upper", "blood pressure: 17.3/10.7 kPa, mean 17.3/10.7 (5 values)", "fluid in: 8 fl oz a day", "humidity: 40 %"):
        assert words(part) in text, part


def test_a_report_of_nothing_says_so_and_names_nobody():
    (text,) = pages(report(1))
    assert "For:" not in text and words("Nothing was measured in this time.") in words(text)


def test_characters_without_a_font_are_named():
    message = report(1)
    message.entries.add(category="meal", memo="\U000F1234", occurred_at=stamp(0, 8))
    outcome = subprocess.run([BINARIES / "kith-report", "care"], input=message.SerializeToString(), capture_output=True, timeout=60, env={"HOME": "/tmp"})
    assert outcome.returncode == 0 and "U+F1234" in outcome.stderr.decode()


@pytest.mark.parametrize("body", [b"\xff\xff\xff", b"not a message"])
def test_what_is_no_report_is_refused(body):
    outcome = subprocess.run([BINARIES / "kith-report", "care"], input=body, capture_output=True, timeout=60)
    assert outcome.returncode == 65 and outcome.stdout == b"" and b"not a report of care" in outcome.stderr
