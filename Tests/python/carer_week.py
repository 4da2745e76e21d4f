"""A week of two carers with a phone each, and the command line at home: what was planned, given, forgotten, skipped, given twice, measured and
noted from Monday 16 to Sunday 22 November 2026 in Tokyo. The hub's clock is set to each evening, so that what was due is due.

    with Week() as week:
        week.live()
        print(week.kith("care", "summary", "--week", "--day", "2026-11-16"))
"""
import os
import pathlib
import subprocess

from conftest import BINARIES
from trials import Daemon

LIBRARIES = sorted(pathlib.Path("/usr/lib").glob("*-linux-gnu/faketime/libfaketime.so.1"))
QUIET = "[contacts]\nsync_at_start = false\n[monica]\nsync_at_start = false\nsync_every_minutes = 0\n"
# What each thing that was recorded was warned of, in the order of the week.
WARNED = ["given", "early", "most", "early", "given", "inactive"]


class Week:
    def __init__(self):
        self.hub, self.items, self.sent, self.warned = Daemon(configuration=QUIET), {}, 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.hub.remove()

    def clock(self, day, time):
        """Starts the hub anew at a time of Tokyo."""
        self.hub.end()
        places = {"KITH_STATE_DIR": self.hub.directory / "state", "KITH_RUNTIME_DIR": self.hub.runtime,
                  "KITH_CONFIG": self.hub.directory / "config.toml"}
        # Under the library a Swift program does not see its arguments.
        self.hub.start(LD_PRELOAD=str(LIBRARIES[-1]), FAKETIME=f"@2026-11-{day:02} {time}:00", FAKETIME_DONT_FAKE_MONOTONIC="1",
                       TZ="Asia/Tokyo", **{name: str(place) for name, place in places.items()})

    def kith(self, *arguments, check=True):
        run = subprocess.run([BINARIES / "kith", *arguments, "--runtime-dir", self.hub.runtime], capture_output=True, text=True, timeout=60,
                             env={**os.environ, "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo"})
        assert run.returncode == 0 or not check, run.stderr
        return run.stdout if check else run

    # What a phone sends.

    def give(self, who, name, day, time, due=None, warns=(), asks=True, **more):
        """Asks first, as a phone with a network does, and records what the person then says."""
        self.sent += 1
        body = {"itemId": self.items[name], "occurredAt": at(day, time), "recorder": who, "clientId": f"{who}-{self.sent}", **more}
        if due:
            body["due"] = at(day, due)
        if asks:
            asked = self.hub.reply("Plan/Give", {**body, "unlessWarned": True})
            assert [warning["kind"] for warning in asked.get("warnings", [])] == list(warns), (name, day, time, asked)
            assert ("dose" in asked) == (not warns)
            if not warns:
                return asked["dose"]["id"]
        reply = self.hub.reply("Plan/Give", body)
        assert [warning["kind"] for warning in reply["dose"].get("warnings", [])] == list(warns), (name, day, time, reply)
        self.warned += warns
        return reply["dose"]["id"]

    def skip(self, who, name, day, due, reason):
        reply = self.hub.reply("Plan/Skip", {"itemId": self.items[name], "due": at(day, due), "reason": reason, "recorder": who})
        assert "warnings" not in reply

    def measure(self, who, day, time, kind, value, lower="", unit="", note=""):
        reply = self.hub.reply("Measurements/Record", {
            "measurement": {"kind": kind, "value": value, "lower": lower, "unit": unit, "note": note, "recorder": who},
            "occurredAt": at(day, time), "unlessUnlikely": True})
        assert reply.get("recorded"), reply

    def note(self, who, day, time, category, memo):
        self.hub.reply("Care/Record", {"category": category, "memo": memo, "recorder": who, "occurredAt": at(day, time)})

    def add(self, name, **item):
        self.items[name] = self.hub.reply("Plan/Add", {"item": {"kind": "medicine", "name": name, **item}, "stock": "28"})["id"]

    def live(self):
        self.clock(15, "20:00")
        self.hub.reply("Care/Configure", {"settings": {"timeZone": "Asia/Tokyo", "recipient": "佐藤花子", "honorific": "様", "recorder": "Home"}})
        self.add("Aspirin", amount="1", unit="tablet", times=[{"time": "08:00"}, {"time": "20:00"}])
        self.add("Paracetamol", amount="500", unit="mg", asNeeded=True, leastMinutes=240, mostPerDay=3)
        self.add("Walk", kind="exercise", times=[{"time": "10:30"}])
        for day, evening in ((16, self.monday), (17, self.tuesday), (18, self.wednesday), (19, self.thursday), (20, self.friday),
                             (21, self.saturday), (22, self.sunday)):
            if day == 18:
                self.clock(18, "12:00")
                self.hub.reply("Plan/Change", {
                    "item": {"id": self.items["Aspirin"], "times": [{"time": "08:00"}, {"time": "21:00"}]}, "fields": ["times"]})
            self.clock(day, "23:30")
            evening(day)
            self.measure("Taro", day, "08:30", "temperature", f"36.{day - 14}")
            self.measure("Taro", day, "08:35", "blood_pressure", str(112 + day), str(62 + day))
            for time in ("09:00", "13:00", "17:00"):
                self.measure("Hanako", day, time, "fluid_in", "250" if time == "09:00" else "300")
            self.note("Hanako", day, "12:30", "meal", "Rice, half of the soup")
        self.clock(23, "09:00")
        assert self.warned == WARNED

    def monday(self, day):
        self.give("Taro", "Aspirin", day, "08:05")
        # Sent again, because the answer was lost: one dose.
        self.sent -= 1
        self.give("Taro", "Aspirin", day, "08:05")
        self.give("Taro", "Walk", day, "10:40", note="to the shop\nand back")
        self.give("Hanako", "Aspirin", day, "20:10")
        self.measure("Taro", day, "20:00", "weight", "116", unit="lb")

    def tuesday(self, day):
        self.give("Taro", "Aspirin", day, "08:02", due="08:00")
        # Without a network nothing is asked; nobody gives it in the evening.
        self.give("Hanako", "Aspirin", day, "08:20", due="08:00", warns=["given"], asks=False)
        self.give("Taro", "Walk", day, "10:30")

    def wednesday(self, day):
        self.give("Taro", "Aspirin", day, "08:00", partly=True, amount="0.5")
        self.skip("Taro", "Walk", day, "10:30", "rain")
        shown = self.kith("plan", "give", "Aspirin", "--at", f"2026-11-{day} 21:05", "--recorder", "Taro")
        assert "Aspirin 1 tablet" in shown and "for 2026-11-18 21:00" in shown and "already" not in shown, shown

    def thursday(self, day):
        self.give("Taro", "Aspirin", day, "11:30", due="08:00")
        self.give("Hanako", "Walk", day, "10:45")
        self.give("Taro", "Paracetamol", day, "09:00")
        self.give("Hanako", "Paracetamol", day, "11:00", warns=["early"])
        self.give("Taro", "Paracetamol", day, "15:00")
        self.give("Taro", "Paracetamol", day, "19:30", warns=["most"])
        self.give("Hanako", "Aspirin", day, "21:00")
        self.measure("Taro", day, "19:20", "temperature", "100.4", unit="°F", note="after the bath")
        self.measure("Taro", day, "19:40", "pain", "4")
        self.note("Taro", day, "19:45", "free_memo", "Slept in the afternoon")

    def friday(self, day):
        refused = self.kith("plan", "give", "Aspirin", "--at", f"2026-11-{day} 15:00", "--due", f"2026-11-{day} 21:00", check=False)
        assert refused.returncode == 1 and "It is too early" in refused.stderr, refused
        self.give("Taro", "Aspirin", day, "08:00")
        self.give("Taro", "Aspirin", day, "15:00", due="21:00", warns=["early"])
        self.give("Taro", "Walk", day, "10:30")
        self.measure("Hanako", day, "18:00", "fluid_out", "400")

    def saturday(self, day):
        self.give("Hanako", "Aspirin", day, "08:00")
        self.skip("Hanako", "Aspirin", day, "21:00", "feels sick")

    def sunday(self, day):
        self.give("Hanako", "Aspirin", day, "08:00")
        mistaken = self.give("Hanako", "Aspirin", day, "21:00")
        self.hub.reply("Plan/Undo", {"id": mistaken})
        self.give("Taro", "Aspirin", day, "21:10")
        self.give("Taro", "Walk", day, "10:30")
        self.hub.reply("Plan/Pause", {"id": self.items["Walk"]})
        self.give("Taro", "Walk", day, "22:00", warns=["given", "inactive"], note="once more")


def at(day, time):
    return f"2026-11-{day:02}T{time}:00+09:00"
