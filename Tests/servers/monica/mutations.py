"""Changes to the account that no request of the client made."""

from . import builtin, values
from .contact_resources import stamp
from .photos import photo_columns
from .store import contact_columns, new_uuid

MOMENTS = {
    "called_at", "happened_at", "written_at", "created_at", "updated_at", "completed_at", "favorited_at", "deleted_at",
    "stay_in_touch_trigger_date",
}  # fmt: skip
DAYS = {"initial_date", "last_talked_to", "date"}
# Changing such a row changes its contact.
TOUCHING = ("contact_fields", "addresses")
OF_CONTACTS = (
    "calls", "notes", "tasks", "conversations", "messages", "contact_fields", "addresses", "gifts", "debts", "reminders",
    "photos",
)  # fmt: skip


def defaults(table, now):
    """The columns of a row of which nothing else is said."""
    columns = {
        "calls": {"content": None, "contact_called": False, "emotions": [], "called_at": now},
        "notes": {"is_favorited": False, "favorited_at": None, "body": ""},
        "tasks": {"description": None, "completed": False, "completed_at": None, "title": "", "contact_id": None},
        "activities": {
            "description": None, "emotions": [], "contacts": [], "activity_type_id": None, "summary": "",
            "happened_at": now.date(),
        },
        "conversations": {"contact_field_type_id": 2, "happened_at": now},
        "messages": {"written_by_me": False, "written_at": now, "content": ""},
        "contact_fields": {"labels": [], "contact_field_type_id": 2, "data": ""},
        "addresses": dict.fromkeys(
            ("name", "street", "city", "province", "postal_code", "country", "latitude", "longitude")),
        "gifts": {
            "name": "", "status": "idea", "comment": None, "url": None, "amount": None, "date": None, "recipient_id": None},
        "debts": {"in_debt": "yes", "status": "inprogress", "amount": 0, "reason": None},
        "reminders": {
            "title": "", "description": None, "initial_date": now.date(), "frequency_type": "year", "frequency_number": 1,
            "delible": True,
        },
        "tags": {"name": "tag", "name_slug": "tag"},
        "genders": {"name": "G", "type": "O"},
        "entries": {"title": "", "post": ""},
        "photos": photo_columns("image/png", ""),
        "contacts": {**contact_columns(), "color": builtin.COLORS[0]},
    }[table]  # fmt: skip
    if table in ("tags", "genders"):
        return columns
    return {**columns, "uuid": None if table == "tasks" else new_uuid()}


def typed(table, columns):
    """Texts of times and days as what they are in the table."""
    found = dict(columns)
    for name, value in columns.items():
        if not isinstance(value, str):
            continue
        if name in DAYS or (table, name) == ("activities", "happened_at"):
            found[name] = values.moment(value).date()
        elif name in MOMENTS:
            found[name] = values.moment(value)
    if table == "photos" and "content" in columns:
        sized = photo_columns(columns.get("mime_type", "image/png"), columns["content"])
        found = {**sized, **found}
    return found


def mutate(instance, wanted):
    """Carries out one operation; returns the id of its row, or what is wrong."""
    kind, table, store = wanted.get("op"), wanted.get("table", "contacts"), instance.store
    if kind == "advance_clock":
        instance.clock.ahead += float(wanted["seconds"])
        return {"clock": stamp(instance.clock.now())}
    if kind == "create":
        return create(store, table, wanted.get("values", {}))
    row = store[table].get(wanted["id"])
    if row is None:
        return {"error": "no such row"}
    if kind not in OPERATIONS:
        return {"error": "unknown op"}
    OPERATIONS[kind](store, table, row, wanted)
    return {"id": wanted["id"]}


def create(store, table, columns):
    row = store[table].insert(**{**defaults(table, store.clock.now()), **typed(table, columns)})
    if table in TOUCHING:
        store.touch(store.contact(row["contact_id"]))
    if table == "calls":
        store.note_call(store.contact(row["contact_id"]), row["called_at"])
    return {"id": row["id"]}


def update(store, table, row, wanted):
    store[table].set(row, **typed(table, wanted.get("set", {})))
    if wanted.get("touch", True):
        row["updated_at"] = store.clock.now()
    if table in TOUCHING:
        store.touch(store.contact(row["contact_id"]))


def delete(store, table, row, wanted):
    if table != "contacts":
        store[table].remove(row)
        return
    store["contacts"].set(row, deleted_at=store.clock.now())
    store.touch(row)


def purge(store, table, row, wanted):
    """Removes a contact with all that it has, as the daily job does a week after its deletion."""
    if table == "contacts":
        for name in OF_CONTACTS:
            for each in store[name].where("contact_id", row["id"]):
                store[name].remove(each)
        for activity in store.activities(row):
            others = [each for each in activity["contacts"] if each != row["id"]]
            store["activities"].set(activity, contacts=others)
    store[table].remove(row)


def archive(store, table, row, wanted):
    store["contacts"].change(row, is_active=wanted["op"] == "unarchive")


OPERATIONS = {"update": update, "delete": delete, "purge": purge, "archive": archive, "unarchive": archive}
