"""Histories of a household and its Monica: what was done on both sides, and what has to be on both sides in the end."""
import collections
import dataclasses
import random

from conftest import stopped
from monica_home import note_of

HELD_OFF = {"drop": True}


@dataclasses.dataclass(frozen=True)
class Kind:
    """How a kind of record is made, changed here and changed there, and where both sides have it."""
    name: str
    create: str                 # methods of the hub
    update: str
    delete: str
    table: str                  # of the server
    text: tuple                 # what is changed here: (field of the hub, column of the server)
    other: tuple                # what is changed there
    details: str                # the list in People/Get
    fields: dict = dataclasses.field(default_factory=dict)
    columns: dict = dataclasses.field(default_factory=dict)


NOON = "2026-01-02T12:00:00Z"
KINDS = {kind.name: kind for kind in (
    Kind("call", "Calls/Log", "Calls/Update", "Calls/Delete", "calls", ("note", "content"),
         ("theyCalled", "contact_called", True), "calls",
         {"calledAt": NOON, "durationMinutes": 7, "emotion": "happy", "tags": ["plan"]}, {"called_at": NOON}),
    Kind("note", "Notes/Create", "Notes/Update", "Notes/Delete", "notes", ("body", "body"),
         ("isFavorite", "is_favorited", True), "notes"),
    Kind("task", "Tasks/Create", "Tasks/Update", "Tasks/Delete", "tasks", ("title", "title"),
         ("description", "description", "there"), "tasks"),
    Kind("activity", "Activities/Create", "Activities/Update", "Activities/Delete", "activities", ("summary", "summary"),
         ("description", "description", "there"), "activities", {"happenedOn": "2026-01-02"}, {"happened_at": "2026-01-02"}),
    Kind("gift", "Gifts/Create", "Gifts/Update", "Gifts/Delete", "gifts", ("name", "name"),
         ("comment", "comment", "there"), "gifts", {"status": "idea"}),
    Kind("reminder", "People/AddReminder", "People/UpdateReminder", "People/DeleteReminder", "reminders", ("title", "title"),
         ("description", "description", "there"), "reminders",
         {"initialDate": "2026-01-02", "frequency": "year", "every": 1}, {"initial_date": "2026-01-02"}),
    Kind("address", "People/AddAddress", "People/UpdateAddress", "People/DeleteAddress", "addresses", ("street", "street"),
         ("city", "city", "there"), "addresses"),
    Kind("field", "People/AddField", "People/UpdateField", "People/DeleteField", "contact_fields", ("data", "data"),
         ("labels", "labels", None), "fields", {"type": "Facebook"}, {"contact_field_type_id": 3}),
    Kind("conversation", "Conversations/Create", "", "Conversations/Delete", "conversations", ("", ""), ("", "", None),
         "conversations", {"happenedAt": NOON}, {"happened_at": NOON, "contact_field_type_id": 1}),
)}  # fmt: skip
# The server lacks the last two channels and all the tags, which come up in several histories of a household, each of which may be the first.
CHANNELS = ("email", "Telegram", "text", "in person")
TAGS = tuple(f"tag {letter}" for letter in "abcdef")


@dataclasses.dataclass
class Record:
    """A record, and what it has to say in the end."""
    kind: Kind
    texts: list                 # one text, or the messages of a conversation
    id: str = ""                # ours
    row: int = 0                # the server's
    other: object = None
    deleted: bool = False
    channel: str = "email"      # of a conversation


class History:
    """One history of a person and the records about them. Nothing is changed on both sides in the same place, so the end is known."""

    def __init__(self, home, seed):
        self.home, self.seed, self.chance = home, seed, random.Random(seed)
        # Of its own, so that what else happens is the same whatever is named.
        self.names = random.Random(f"names of {seed}")
        self.tags = set()
        self.number = 0
        self.records = []
        self.name = f"p{seed}"
        self.job = ""
        self.description = ""
        self.person = self.row = None
        self.fault = None

    def mark(self):
        self.number += 1
        return f"h{self.seed}.{self.number}."

    # What happens here.

    def begin(self):
        self.person = self.home.person(self.name)["id"]

    def make(self, kind):
        record = Record(kind, [self.mark()])
        body = {**kind.fields, "personId": self.person}
        if kind.name == "activity":
            body["participants"] = [body.pop("personId")]
        if kind.name == "conversation":
            body["messages"] = [{"content": record.texts[0], "writtenAt": NOON}]
            record.channel = body["channel"] = self.names.choice(CHANNELS)
        else:
            body[kind.text[0]] = record.texts[0]
        record.id = self.home.hub.reply(kind.create, {"record": body})["id"]
        self.records.append(record)
        return record

    def edit(self, record):
        if record.kind.name == "conversation":
            record.texts.append(self.mark())
            message = {"content": record.texts[-1], "writtenAt": NOON}
            self.home.hub.reply("Conversations/AddMessage", {"conversationId": record.id, "message": message})
            return
        record.texts = [record.texts[0].split(" ")[0] + f" edit {self.mark()}"]
        field = record.kind.text[0]
        self.home.hub.reply(record.kind.update, {"record": {"id": record.id, field: record.texts[0]}, "fields": [field]})

    def delete(self, record):
        record.deleted = True
        self.home.hub.reply(record.kind.delete, {"id": record.id})

    def describe(self):
        self.description = self.mark()
        record = {"id": self.person, "description": self.description}
        self.home.hub.reply("People/Update", {"record": record, "fields": ["description"]})

    def tag(self):
        """Gives tags, of which others may be giving the same for the first time, and takes one away."""
        add = set(self.names.sample(TAGS, self.names.randint(1, 2))) - self.tags
        remove = set(self.names.sample(sorted(self.tags), min(len(self.tags), self.names.randint(0, 1))))
        if add or remove:
            self.home.hub.reply("Tags/Assign", {"personId": self.person, "add": sorted(add), "remove": sorted(remove)})
        self.tags = (self.tags | add) - remove

    # What happens there.

    def make_there(self, kind):
        record = Record(kind, [self.mark()])
        values = {**kind.columns, "contact_id": self.row}
        if kind.name == "activity":
            values["contacts"] = [values.pop("contact_id")]
        if kind.name != "conversation":
            values[kind.text[1]] = record.texts[0]
        record.row = self.home.monica.create(kind.table, **values)
        if kind.name == "conversation":
            self.say_there(record)
        self.records.append(record)

    def say_there(self, record):
        self.home.monica.create(
            "messages", contact_id=self.row, conversation_id=record.row, content=record.texts[-1], written_at=NOON)

    def edit_there(self, record):
        if record.kind.name == "conversation":
            record.texts.append(self.mark())
            self.say_there(record)
        elif record.kind.other[2] is not None:
            record.other = record.kind.other[2]
            self.set_there(record.kind.table, record.row, **{record.kind.other[1]: record.other})

    def delete_there(self, record):
        record.deleted = True
        self.home.monica.mutate({"op": "delete", "table": record.kind.table, "id": record.row})

    def employ_there(self):
        self.job = self.mark()
        self.set_there("contacts", self.row, job=self.job)

    def set_there(self, table, row, **columns):
        self.home.monica.mutate({"op": "update", "table": table, "id": row, "set": columns})

    # Both.

    def learn_rows(self):
        """Reads the server's ids of what is here."""
        details = self.home.details(self.person)
        self.row = int(details["person"]["monicaId"])
        for record in self.records:
            (row,) = (int(each["monicaId"]) for each in details[record.kind.details] if each["id"] == record.id)
            record.row = row

    def change(self):
        """Changes here and there that have nothing to do with each other, of which three make at least, one edits and one deletes."""
        steps = [lambda: self.make(self.any_kind()) for _ in range(self.chance.randint(3, 4))]
        steps += [lambda: self.make_there(self.any_kind()) for _ in range(self.chance.randint(0, 2))]
        described = self.chance.randint(0, 1)
        # Only what is said is added to a conversation, so that its edit may be no PUT.
        steps += [self.describe] * (1 if getattr(self.fault, "method", "") == "PUT" else described)
        steps += [self.employ_there] * self.chance.randint(0, 1)
        known = self.chance.sample(self.records, len(self.records))
        first, last, *others = known
        steps += [lambda: self.edit(first), lambda: self.delete(last)]
        for record in others:
            steps.append(self.chance.choice([
                lambda record=record: self.edit(record), lambda record=record: self.edit_there(record),
                lambda record=record: (self.edit(record), self.edit_there(record)),
                lambda record=record: self.delete_there(record), lambda: None]))
        self.chance.shuffle(steps)
        for _ in range(self.names.randint(0, 2)):
            steps.insert(self.names.randint(0, len(steps)), self.tag)
        for step in steps:
            step()

    def any_kind(self):
        return self.chance.choice(list(KINDS.values()))

    def check(self, dump):
        """Both sides say what they have to, once.

        dump -- gives the rows of a table of the server
        """
        details = self.home.details(self.person)
        person = details["person"]
        rows = [row for row in dump("contacts") if row["first_name"] == self.name]
        assert len(rows) == 1 and rows[0]["id"] == int(person["monicaId"]), (self, rows)
        for side in ((person.get("job", ""), person.get("description", "")), (rows[0]["job"] or "", rows[0]["description"] or "")):
            assert side == (self.job, self.description), self
        for kind in KINDS.values():
            wanted = sorted(
                (record.texts, record.other) for record in self.records if record.kind is kind and not record.deleted)
            here = details.get(kind.details, [])
            there = [
                row for row in dump(kind.table)
                if self.row in (row["contacts"] if kind.name == "activity" else [row["contact_id"]])]
            assert sorted(self.said_here(kind, each) for each in here) == wanted, (self, kind.name, here)
            assert sorted(self.said_there(kind, each, dump) for each in there) == wanted, (self, kind.name, there)
            assert {int(each["monicaId"]) for each in here} == {each["id"] for each in there}, (self, kind.name)
            assert {each["syncState"] for each in here} <= {"synced"}, (self, kind.name)
        self.check_names(details, rows[0], dump)

    def check_names(self, details, row, dump):
        """Tags and channels are what they should be on both sides, by names that are there once."""
        for table in ("tags", "contact_field_types"):
            often = collections.Counter(each["name"].lower() for each in dump(table))
            assert set(often.values()) <= {1}, (self, table, often)
        tags = {each["id"]: each["name"] for each in dump("tags")}
        here = set(details["person"].get("tags", []))
        assert here == {tags[number] for number in row["tags"]} == self.tags, (self, here, row)
        types = {each["id"]: each["name"].lower() for each in dump("contact_field_types")}
        channels = {each["id"]: types[each["contact_field_type_id"]] for each in dump("conversations")}
        rows = {each["id"]: int(each["monicaId"]) for each in details.get("conversations", [])}
        for record in self.records:
            if record.kind.name == "conversation" and not record.deleted:
                assert channels[rows[record.id] if record.id else record.row] == record.channel.lower(), (self, record)

    @staticmethod
    def said_here(kind, record):
        if kind.name == "conversation":
            return sorted((each["content"] for each in record.get("messages", [])), key=number), None
        return [record[kind.text[0]]], record.get(kind.other[0]) or None

    @staticmethod
    def said_there(kind, row, dump):
        if kind.name == "conversation":
            said = [each["content"] for each in dump("messages") if each["conversation_id"] == row["id"]]
            return sorted(said, key=number), None
        text = row[kind.text[1]]
        return [note_of(text) if kind.name == "call" else text], row[kind.other[1]] or None

    def __repr__(self):
        said = [(record.kind.name, record.texts, record.row, "deleted" if record.deleted else record.other) for record in self.records]
        return f"history {self.seed} of {self.name} with {self.fault}: {said}"


def number(mark):
    return int(mark.split(".")[1])


class Fault:
    """A bad day, and whether it came."""

    def order(self, history):
        """Prepares it while the server is held off, and lets the server in again."""

    def endure(self, history):
        """Has a pass that meets it. Fails when it does not."""


class ServerFault(Fault):
    """The server spoils an answer, or gives none."""

    def __init__(self, what, method, times):
        self.what, self.method, self.times = what, method, times

    def order(self, history):
        monica = history.home.monica
        # Nothing is sent between the two orders.
        with stopped(history.home.hub.process):
            monica.clear_faults()
            monica.forget_requests()
            monica.faults({**self.what, "match": {"method": self.method}, "times": self.times})

    def endure(self, history):
        history.home.hub.ask("Monica/Sync")
        if history.chance.random() < 0.5:
            # While it is open what has arrived.
            edited = [record for record in history.records if record.id and not record.deleted]
            history.edit(history.chance.choice(edited))

    def check(self, history):
        met = [each for each in history.home.monica.requests()["requests"] if each["fault"]]
        assert met, f"{history} met no fault"
        assert all(each["method"] == self.method for each in met), met

    def __repr__(self):
        return f"{self.what} at {self.times} {self.method}"


class Kill(Fault):
    """The daemon dies at a marked point."""

    def __init__(self, point, count):
        self.point, self.count = point, count

    def order(self, history):
        history.home.hub.end()
        history.home.monica.clear_faults()

    def endure(self, history):
        """Starts a daemon that dies in its pass, and one that lives."""
        history.home.hub.start_to_die(self.point, self.count)
        history.home.hub.start()

    def check(self, history):
        """It happened: else there would be no end of ``endure``."""

    def __repr__(self):
        return f"{self.point}:{self.count}"


def any_fault(chance):
    """A fault by chance, of which each kind comes often enough in some tens."""
    if chance.random() < 0.3:
        point = chance.choice(["monica.push.begun", "monica.push.sent", "monica.push.stored", "monica.pull.page", "monica.pull.stored"])
        # Four changes begin at once, and five there are.
        return Kill(point, chance.randint(1, 2 if point == "monica.push.begun" else 3))
    what = chance.choice([
        {"drop": True}, {"drop_after": True}, {"drop_after": True}, {"status_after": 500}, {"status_after": 500}, {"status": 500},
        {"status": 503, "retry_after": 0}, {"truncate": True}, {"truncate": True}, {"bad_json": True}, {"html": True},
        {"status": 429, "retry_after": 0}, {"status": 401}, {"redirect": True}])
    times = 4 if what.get("status") == 429 and chance.random() < 0.3 else chance.randint(1, 2)
    return ServerFault(what, chance.choice(["POST", "POST", "PUT", "DELETE", "GET"]), times)


def live(home, seed):
    """Runs one history up to where everything has come to rest; returns it, to be checked."""
    history = History(home, seed)
    chance = history.chance
    history.fault = any_fault(chance)
    history.begin()
    for _ in range(chance.randint(3, 5)):
        history.make(history.any_kind())
    home.settle()
    history.learn_rows()
    # Nothing reaches the server while all this is recorded.
    home.monica.faults(always=[HELD_OFF])
    history.change()
    history.fault.order(history)
    history.fault.endure(history)
    history.fault.check(history)
    home.monica.clear_faults()
    home.settle()
    return history
