"""A carer's week against a real hub: its summaries, its report as PDF, and its files as other programs read them."""
import csv
import io
import json
import pathlib
import shutil
import subprocess

import pytest
from fhir.resources.R4B.bundle import Bundle
from pypdf import PdfReader

from carer_week import LIBRARIES, Week, at
from channels import kith

pytestmark = [
    pytest.mark.skipif(not LIBRARIES, reason="the package faketime of Debian is not installed"),
    # One process lives the week, which takes longer than the tests.
    pytest.mark.xdist_group("carer_week")]
GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "care" / "week"
SUMMARIES = {"tuesday": ["--day", "2026-11-17"], "thursday": ["--day", "2026-11-19"], "sunday": ["--day", "2026-11-22"],
             "week": ["--week", "--day", "2026-11-18"], "month": ["--month", "--day", "2026-11-18"]}


@pytest.fixture(scope="module")
def week():
    with Week() as week:
        week.live()
        yield week


def plain(text):
    """Lines of a page are broken and stand in columns, so text is compared without white space."""
    return "".join(text.split())


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", SUMMARIES)
def test_the_summaries_are_those_that_were_agreed(week, name, language):
    text = week.kith("care", "summary", "--lang", language, *SUMMARIES[name])
    assert text == (GOLDEN / f"{name}.{language}.txt").read_text()


def test_a_span_is_named_on_the_wire(week):
    reply = week.hub.reply("Care/Summary", {"day": "2026-11-18", "span": "week"})
    assert (reply["day"], reply["from"], reply["until"], reply["records"]) == ("2026-11-18", "2026-11-16", "2026-11-22", 8)
    assert week.hub.reply("Care/Summary", {"day": "2026-02-10", "span": "month"})["until"] == "2026-02-28"
    assert week.hub.error("Care/Summary", {"span": "year"}) == ("INVALID_ARGUMENT", "FIELD_INVALID")
    sent = week.hub.directory / "sent.txt"
    week.kith("care", "share", "--week", "--day", "2026-11-18", "--file", str(sent))
    assert sent.read_text() == (GOLDEN / "week.en.txt").read_text()
    refused = week.kith("care", "summary", "--week", "--month", check=False)
    assert refused.returncode == 2 and "--week or --month" in refused.stderr


def test_a_household_without_a_plan_reads_what_it_always_read(hub):
    hub.reply("Care/Configure", {"settings": {"timeZone": "Asia/Tokyo", "recipient": "Hanako Sato", "recorder": "Taro"}})
    for time, category, memo in (("08:05", "medication", "two tablets"), ("12:30", "meal", "rice\nand soup"), ("21:00", "free_memo", "slept well")):
        hub.reply("Care/Record", {"category": category, "memo": memo, "occurredAt": at(20, time)})
    for name in ("plain.en", "plain.ja", "plain.short.en"):
        kind, *_, language = name.split(".")
        reply = hub.reply("Care/Summary", {"day": "2026-11-20", "language": language, "short": "short" in name})
        assert reply["text"] == (GOLDEN / f"{name}.txt").read_text()


# The report.

def report(week, *options, language="en"):
    week.kith("care", "report", "-o", str(week.hub.directory / "report.pdf"), "--lang", language, *options)
    return [page.extract_text() for page in PdfReader(week.hub.directory / "report.pdf").pages]


def test_the_report_says_what_the_week_was(week):
    pages = report(week, "--from", "2026-11-16", "--until", "2026-11-22")
    text = plain("".join(pages))
    for part in ("Care report", "For: 佐藤花子", "Monday, 16 November 2026 – Sunday, 22 November 2026", "Kith is no medical device",
                 "at least 240 min apart, at most 3 a day", "Aspirin 1 tablet, 08:00, 20:00, since 2026-11-15 → Aspirin 1 tablet, 08:00, 21:00",
                 "given 11 of 14 (1 late)", "skipped by Hanako: feels sick", "again: given 08:20 by Hanako", "partly given 08:00 by Taro (0.5 tablet)",
                 "16 Nov – 22 Nov", "blood pressure: 128–134 / 78–84 mmHg, mean 131/81 (7 values)", "100.4 °F", "after the bath", "● upper",
                 "Slept in the afternoon"):
        assert plain(part) in text, part
    # The signs of the morning, from Monday to Sunday.
    assert plain("08:00 Aspirin ● ●● △ ▲ ● ● ●") in text
    assert [page.strip().split("\n")[-1] for page in pages] == [str(number) for number in range(1, len(pages) + 1)]


def test_the_report_is_there_in_japanese_and_of_times_without_anything(week):
    text = plain("".join(report(week, "--from", "2026-11-16", "--until", "2026-11-22", language="ja")))
    for part in ("介護の報告書", "対象: 佐藤花子 様", "医療機器ではありません", "実施 14回中11回", "理由とメモ", "体温: 36.2–38 °C、平均 36.7 (8回)", "自由メモ"):
        assert plain(part) in text, part
    text = plain("".join(report(week, "--from", "2026-01-01", "--until", "2026-01-31")))
    for part in ("There is no plan in this time.", "The plan did not change in this time.", "Nothing of the plan was due or given in this time.",
                 "Nothing was measured in this time.", "There are no entries in this time."):
        assert plain(part) in text, part


@pytest.mark.parametrize("body, field", [({"from": "2026-11-22", "until": "2026-11-16"}, "until"), ({"from": "2025-01-01", "until": "2026-11-16"}, "from"),
                                         ({"from": "soon"}, "from"), ({"language": "fr"}, "language")])
def test_a_report_that_makes_no_sense_is_refused_by_its_field(week, body, field):
    header, _, _ = week.hub.ask("Care/Report", body)
    assert header["status"]["reason"] == "FIELD_INVALID" and list(header["status"]["details"]) == [field], header


def test_what_was_given_is_told_once_however_late_and_of_whatever_item(tmp_path):
    with Week() as week:
        week.clock(2, "07:00")
        week.hub.reply("Care/Configure", {"settings": {"timeZone": "Asia/Tokyo", "recorder": "Home"}})
        week.add("Aspirin", amount="1", unit="tablet", times=[{"time": "08:00"}])
        week.add("Iron", amount="1", unit="tablet", times=[{"time": "09:00"}])
        week.add("Drops", times=[{"time": "10:00"}], until="2026-11-04")
        week.add("Cream", asNeeded=True, **{"from": "2099-01-01"})
        week.clock(3, "12:00")
        week.hub.reply("Plan/End", {"id": week.items["Iron"]})
        week.clock(10, "12:00")
        # It ended a week ago, and is given all the same; and a time of five days before is answered now.
        week.give("Taro", "Iron", 10, "08:50", warns=["inactive"])
        week.hub.reply("Plan/Give", {"itemId": week.items["Aspirin"], "due": at(5, "08:00"), "occurredAt": at(10, "08:30")})
        assert "08:50 Iron 1 tablet: given 08:50 by Taro" in week.kith("care", "summary", "--day", "2026-11-10", "--lang", "en")
        (iron,) = [dose for dose in week.hub.reply("Plan/Day", {"day": "2026-11-10"})["others"] if dose["itemName"] == "Iron"]
        assert iron["occurredAt"] == "2026-11-09T23:50:00Z"
        month = week.kith("care", "summary", "--month", "--day", "2026-11-10", "--lang", "en")
        assert "Aspirin: given 1 of 9 (1 late), missed 8 (Mon 2 08:00, " in month and "Iron: given 0 of 2, missed 2 (Mon 2 09:00, Tue 3 09:00), besides 1" in month
        assert "besides" not in next(line for line in month.split("\n") if line.startswith("Aspirin"))
        # What was over before is no part of the plan.
        text = plain("".join(report(week, "--from", "2026-11-08", "--until", "2026-11-10")))
        assert "Drops" not in text and plain("10 Nov 08:50 Iron 1 tablet given 08:50 by Taro") in text
        assert plain("Drops 10:00 since") not in text and plain("Drops") in plain("".join(report(week, "--from", "2026-11-03", "--until", "2026-11-10")))
        # A program that reads "active" gives it.
        told = {entry["resource"]["medicationCodeableConcept"]["text"]: entry["resource"] for entry in json.loads(exported(week, "plan", "fhir"))["entry"]
                if entry["resource"]["resourceType"] == "MedicationStatement"}
        states = {name: (resource["status"], resource["effectivePeriod"].get("end")) for name, resource in told.items()}
        assert states == {"Aspirin": ("active", None), "Iron": ("stopped", "2026-11-03"), "Drops": ("completed", "2026-11-04"), "Cream": ("intended", None)}


# The files.

def exported(week, what, form, *options):
    path = week.hub.directory / f"export.{form}"
    week.kith(what, "export", "-o", str(path), "--format", form, *options)
    assert path.stat().st_mode & 0o777 == 0o600
    path_bytes = path.read_bytes()
    path.unlink()
    return path_bytes


def rows(body):
    assert body.startswith(b"\xef\xbb\xbf") and body.endswith(b"\r\n")
    return list(csv.DictReader(io.StringIO(body.decode("utf-8-sig"), newline=""), strict=True))


def test_a_table_of_doses_has_what_was_recorded(week):
    doses = rows(exported(week, "plan", "csv"))
    walk = next(dose for dose in doses if dose["item"] == "Walk" and dose["due"] == at(16, "10:30"))
    assert (walk["occurred_at"], walk["outcome"], walk["note"], walk["recorder"]) == (at(16, "10:40"), "given", "to the shop\nand back", "Taro")
    assert {dose["warnings"] for dose in doses} == {"", "given", "early", "most", "given inactive"}
    assert not any(dose["taken_back_at"] for dose in doses)
    with_taken_back = rows(exported(week, "plan", "csv", "--deleted"))
    assert len(with_taken_back) == len(doses) + 1 and sum(bool(dose["taken_back_at"]) for dose in with_taken_back) == 1
    only = rows(exported(week, "plan", "csv", "--from", "2026-11-19", "--until", "2026-11-19"))
    assert len(only) == 7 and {dose["occurred_at"][:10] for dose in only} == {"2026-11-19"}


def test_a_table_of_measurements_has_what_was_entered(week):
    values = rows(exported(week, "measure", "csv"))
    assert len(values) == 7 * 5 + 4
    fever = next(value for value in values if value["unit"] == "°F")
    assert (fever["value"], fever["occurred_at"], fever["note"]) == ("100.4", at(19, "19:20"), "after the bath")
    assert {value["lower"] for value in rows(exported(week, "measure", "csv", "血圧"))} == {str(day + 62) for day in range(16, 23)}


@pytest.mark.skipif(not shutil.which("sqlite3"), reason="the package sqlite3 of Debian is not installed")
def test_a_table_is_the_same_to_another_program(week, tmp_path):
    body = exported(week, "plan", "csv", "--deleted")
    (tmp_path / "doses.csv").write_bytes(body.removeprefix(b"\xef\xbb\xbf"))
    read = subprocess.run(["sqlite3", ":memory:", "-json", "-cmd", f".import --csv {tmp_path}/doses.csv doses", "SELECT * FROM doses"],
                          capture_output=True, text=True, check=True)
    assert json.loads(read.stdout) == rows(body)


def test_json_is_what_the_wire_has(week):
    plan = json.loads(exported(week, "plan", "json"))
    assert {item["name"] for item in plan["items"]} == {"Aspirin", "Paracetamol", "Walk"}
    assert next(item for item in plan["items"] if item["name"] == "Aspirin")["versions"][0]["item"]["times"][1]["time"] == "20:00"
    assert {dose["id"] for dose in plan["doses"]} == {dose["id"] for dose in rows(exported(week, "plan", "csv"))}
    assert len(json.loads(exported(week, "measure", "json"))["measurements"]) == 39


def test_fhir_is_read_by_a_library_of_others(week):
    """R4B, whose resources of these three kinds are those of R4."""
    plan = Bundle.model_validate_json(exported(week, "plan", "fhir", "--deleted"))
    kinds = [entry.resource.get_resource_type() for entry in plan.entry]
    # A walk is no medicine.
    assert kinds.count("MedicationStatement") == 2 and kinds.count("MedicationAdministration") == 19 and kinds[0] == "Patient"
    patient = plan.entry[0]
    assert patient.resource.name[0].text == "佐藤花子"
    resources = [entry.resource for entry in plan.entry[1:]]
    assert {resource.subject.reference for resource in resources} == {patient.fullUrl}
    statement = next(resource for resource in resources if resource.medicationCodeableConcept.text == "Aspirin")
    timing = statement.dosage[0].timing.repeat
    assert [str(time) for time in timing.timeOfDay] == ["08:00:00", "21:00:00"] and statement.dosage[0].doseAndRate[0].doseQuantity.unit == "tablet"
    states = [resource.status for resource in resources if resource.get_resource_type() == "MedicationAdministration"]
    assert {state: states.count(state) for state in set(states)} == {"completed": 17, "not-done": 1, "entered-in-error": 1}
    skipped = next(resource for resource in resources if resource.status == "not-done")
    assert skipped.statusReason[0].text == "feels sick" and skipped.effectiveDateTime.isoformat() == at(21, "21:00")
    values = Bundle.model_validate_json(exported(week, "measure", "fhir")).entry[1:]
    assert len(values) == 39


def test_values_in_fhir_have_the_digits_that_were_entered(week):
    bundle = json.loads(exported(week, "measure", "fhir"), parse_float=str)
    found = {}
    for entry in bundle["entry"][1:]:
        resource = entry["resource"]
        codes = tuple(coding["code"] for coding in resource["code"].get("coding", []))
        quantities = [part["valueQuantity"] for part in resource.get("component", [resource])]
        found.setdefault(codes, []).append([(quantity["value"], quantity.get("code")) for quantity in quantities])
        assert resource["effectiveDateTime"].endswith("+09:00")
    assert ("100.4", "[degF]") in [value for (value,) in found["8310-5",]]
    assert [(128, "mm[Hg]"), (78, "mm[Hg]")] in found["85354-9",]
    assert found["29463-7",] == [[(116, "[lb_av]")]] and found["72514-3",] == [[(4, "{score}")]]
    # One drink is no sum of a day, of which the codes are.
    assert len(found[()]) == 22 and {code for ((_, code),) in found[()]} == {"mL"}


def test_a_pressure_in_another_unit_has_no_code_behind_which_only_one_unit_may_stand(hub, tmp_path):
    for value, lower, unit in (("17.3", "10.7", "kPa"), ("130", "80", "mmHg")):
        hub.reply("Measurements/Record", {"measurement": {"kind": "blood_pressure", "value": value, "lower": lower, "unit": unit}})
    kith(hub, "measure", "export", "-o", str(tmp_path / "values.json"), "--format", "fhir")
    bundle = (tmp_path / "values.json").read_text()
    Bundle.model_validate_json(bundle)
    for entry in json.loads(bundle)["entry"][1:]:
        resource = entry["resource"]
        units = {part["valueQuantity"]["code"] for part in resource["component"]}
        assert ("coding" in resource["code"]) == all("coding" in part["code"] for part in resource["component"]) == (units == {"mm[Hg]"})
        assert [part["code"]["text"] for part in resource["component"]] == ["Systolic blood pressure", "Diastolic blood pressure"]


def test_a_cell_that_a_spreadsheet_would_run_is_text(hub, tmp_path):
    for text in ("=HYPERLINK(\"http://x\")", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)"):
        hub.reply("Measurements/Record", {"measurement": {"kind": "other", "name": text, "value": "1", "note": text, "unit": "u"}})
    item = hub.reply("Plan/Add", {"item": {"name": "=1+1", "kind": "medicine", "asNeeded": True, "note": "n"}})
    hub.reply("Plan/Give", {"itemId": item["id"], "note": "=1+1"})
    for what in ("measure", "plan"):
        kith(hub, what, "export", "-o", str(tmp_path / "file.csv"))
        cells = [cell for row in rows((tmp_path / "file.csv").read_bytes()) for cell in row.values()]
        assert not [cell for cell in cells if cell.startswith(tuple("=+-@"))] and any(cell.startswith("'=") for cell in cells)


def test_an_export_that_fails_leaves_the_file_that_was_there(week, tmp_path):
    path = tmp_path / "kept.csv"
    path.write_text("kept")
    refused = week.kith("plan", "export", "-o", str(path), "--from", "2026-11-20", "--until", "2026-11-01", check=False)
    assert refused.returncode != 0 and path.read_text() == "kept" and list(tmp_path.iterdir()) == [path]
    missing = week.kith("measure", "export", "-o", str(tmp_path / "none" / "x.csv"), check=False)
    assert missing.returncode != 0 and "none" in missing.stderr


def test_all_pages_of_values_are_in_the_file(hub, tmp_path):
    for number in range(620):
        hub.reply("Measurements/Record", {"measurement": {"kind": "pulse", "value": str(50 + number % 60), "note": "x" * 500}})
    kith(hub, "measure", "export", "-o", str(tmp_path / "all.csv"))
    assert len(rows((tmp_path / "all.csv").read_bytes())) == 620
