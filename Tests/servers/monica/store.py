"""The rows of one account."""

import datetime
import time
import uuid

from . import values
from .answers import Archived, NotFound, Uncaught

TABLES = (
    "contacts", "contact_fields", "addresses", "activities", "calls", "conversations", "messages", "notes", "tasks", "gifts",
    "debts", "tags", "relationships", "reminders", "genders", "contact_field_types", "contact_field_labels", "activity_types",
    "activity_type_categories", "relationship_types", "relationship_type_groups", "entries", "photos",
)  # fmt: skip


class Clock:
    """The time of the server, in whole seconds of UTC. Tests may put it forward."""

    def __init__(self):
        self.ahead = 0

    def now(self):
        return datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=int(time.time() + self.ahead))

    def today(self):
        return self.now().date()


class Table:
    """Rows by id, in the order of their ids."""

    def __init__(self, clock):
        self.clock = clock
        self.rows = {}
        self.last = 0
        self.indexes = {}

    def __iter__(self):
        return iter(tuple(self.rows.values()))

    def __len__(self):
        return len(self.rows)

    def get(self, identifier):
        return self.rows.get(identifier)

    def insert(self, **columns):
        self.indexes.clear()
        self.last += 1
        now = self.clock.now()
        row = self.rows[self.last] = {"created_at": now, "updated_at": now, **columns, "id": self.last}
        return row

    def set(self, row, **columns):
        """Writes columns without a trace in updated_at; returns whether there was something to write."""
        self.indexes.clear()
        changed = any(row.get(name) != value for name, value in columns.items())
        row.update(columns)
        return changed

    def change(self, row, **columns):
        """Writes columns, and the time when one of them is another than before; returns whether one is."""
        changed = self.set(row, **columns)
        if changed:
            row["updated_at"] = self.clock.now()
        return changed

    def remove(self, row):
        self.indexes.clear()
        self.rows.pop(row["id"], None)

    def where(self, column, value):
        """The rows that have a value in a column, or in the list that the column holds."""
        if column not in self.indexes:
            index = self.indexes[column] = {}
            for row in self.rows.values():
                held = row[column]
                for one in held if isinstance(held, list) else [held]:
                    index.setdefault(one, []).append(row)
        return tuple(self.indexes[column].get(value, ()))


class Store:
    """All tables, and what concerns several of them."""

    def __init__(self, clock):
        self.clock = clock
        self.started = clock.now()
        self.tables = {name: Table(clock) for name in TABLES}
        self.me = None  # the contact that the user is
        self.waiting = []  # contacts whose deletion is queued

    def __getitem__(self, table):
        return self.tables[table]

    def find(self, table, identifier):
        """The row that a path or a field names; not found otherwise."""
        row = self[table].get(values.key(identifier))
        if row is None:
            raise NotFound
        return row

    def contact(self, identifier):
        """A contact that is not deleted; None otherwise."""
        row = self["contacts"].get(identifier)
        return row if row and row["deleted_at"] is None else None

    def find_contact(self, identifier):
        row = self.contact(values.key(identifier))
        if row is None:
            raise NotFound
        return row

    def find_active(self, identifier):
        """A contact that may be changed."""
        contact = self.find_contact(identifier)
        self.require_active(contact)
        return contact

    def require_active(self, contact):
        if contact is None:
            raise Uncaught("Call to a member function throwInactive() on null")
        if not contact["is_active"]:
            raise Archived

    def touch(self, contact):
        if contact:
            contact["updated_at"] = self.clock.now()

    def activities(self, contact):
        return self["activities"].where("contacts", contact["id"])

    # Rows that are made in several places.

    def add_contact(self, **columns):
        return self["contacts"].insert(**{**contact_columns(), **columns})

    def add_tag(self, name):
        return self["tags"].insert(name=name, name_slug=values.slug(name) or name)

    def note_call(self, contact, called_at):
        """Keeps the day of the last call, which is all that a contact remembers of it."""
        if contact is None:
            return
        last = midnight(contact["last_talked_to"])
        newest = called_at if last is None else max(last, called_at)
        if newest != last:
            self["contacts"].set(contact, last_talked_to=newest.date())
            self.touch(contact)


def midnight(date):
    return date and datetime.datetime.combine(date, datetime.time())


def new_uuid():
    return str(uuid.uuid4())


def own_uuid(data):
    """The uuid that a client chose, or a new one."""
    return str(data["uuid"])[:36] if data.get("uuid") else new_uuid()


def contact_columns():
    return {
        "uuid": None, "first_name": "", "middle_name": None, "last_name": None, "nickname": None, "description": None,
        "gender_id": None, "is_starred": False, "is_partial": False, "is_active": True, "is_dead": False,
        "last_talked_to": None, "stay_in_touch_frequency": None, "stay_in_touch_trigger_date": None, "birthdate": None,
        "deceased_date": None, "birthday_reminder_id": None, "deceased_reminder_id": None, "job": None, "company": None,
        "food_preferences": None, "first_met_info": None, "first_met_date": None, "first_met_through": None,
        "first_met_reminder_id": None, "avatar_source": "default", "has_avatar": True, "tags": [], "deleted_at": None,
        "color": None,
    }  # fmt: skip
