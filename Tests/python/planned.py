"""A plan with a time that is near, and entries by voice whose words a person confirmed."""
import datetime

UTC = datetime.UTC


def near(minutes=20):
    """A time of day in UTC that comes soon; and the day and moment of it."""
    moment = (datetime.datetime.now(UTC) + datetime.timedelta(minutes=minutes)).replace(second=0, microsecond=0)
    return f"{moment:%H:%M}", moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def noon(hub):
    """A zone for the household in which it is about noon, so that a test may move times within the day."""
    behind = (datetime.datetime.now(UTC).hour - 12 + 12) % 24 - 12
    hub.reply("Care/Configure", {"settings": {"timeZone": f"Etc/GMT{behind:+d}"}})
    return datetime.timezone(datetime.timedelta(hours=-behind))


def add(hub, name="Aspirin", *times, **more):
    item = {"kind": "medicine", "name": name, "amount": "1", "unit": "tablet", "times": [{"time": time} for time in times], **more}
    return hub.reply("Plan/Add", {"item": item})["id"]


def said(hub, text, confirmed=True, category="medication"):
    """The id of an entry by voice."""
    entry = hub.reply("Care/StartVoice", {"category": category})["record"]["id"]
    hub.reply("Care/StopVoice", {"id": entry})
    if confirmed:
        record = hub.reply("Care/Update", {"record": {"id": entry, "transcript": text}, "fields": ["transcript"]})["record"]
        assert record["review"] != "needed" and record["transcript"] == text, record
    return entry


def doses(hub, **options):
    return hub.reply("Plan/History", options).get("doses", [])


def values(hub):
    return hub.reply("Measurements/List", {}).get("measurements", [])
