"""A fresh account, with as many contacts as wanted: the same ones at every start."""

import datetime
import uuid

from . import builtin
from .store import Store

FIRST = (
    "Alice Bruno Chloe David Elena Farid Grace Hugo Ines Jonas Katya Liam Mona Noah Olga Pablo Quinn Rosa Sven Tara Umar Vera "
    "Wen Xavi Yuki Zoe"
).split()
LAST = (
    "Abbott Becker Castro Duarte Evans Fischer Garcia Hansen Ivanov Jensen Kim Lopez Meyer Nguyen Okafor Perez Quist Rossi "
    "Silva Tanaka Ueda Vogel Weber Xu Young Zhang"
).split()
COMPANIES = ("Acme", "Globex", "Initech", "Umbrella", "Hooli", "Stark", "Wayne", "Wonka")
BEGIN = datetime.datetime(2024, 1, 1, 8)
FRIEND = 18
WHATSAPP = 5


def lasting_uuid(name):
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"monica double {name}"))


def account(clock, contacts):
    store = Store(clock)
    add_builtin(store)
    if contacts:
        for name in ("family", "friends", "work", "vip"):
            store["tags"].insert(name=name, name_slug=name, created_at=BEGIN, updated_at=BEGIN)
    for number in range(1, contacts + 1):
        add_contact(store, number)
    return store


def add_builtin(store):
    never = {"created_at": None, "updated_at": None}
    for name in builtin.RELATIONSHIP_GROUPS:
        store["relationship_type_groups"].insert(name=name, delible=False, **never)
    for name, reverse, group in builtin.RELATIONSHIP_TYPES:
        store["relationship_types"].insert(
            name=name, name_reverse_relationship=reverse, delible=False,
            relationship_type_group_id=builtin.RELATIONSHIP_GROUPS.index(group) + 1)  # fmt: skip
    for name, kind in builtin.GENDERS:
        store["genders"].insert(name=name, type=kind)
    for name, kind, protocol, icon, delible in builtin.CONTACT_FIELD_TYPES:
        store["contact_field_types"].insert(
            uuid=lasting_uuid(name), name=name, type=kind, protocol=protocol, fontawesome_icon=icon,
            delible=delible)  # fmt: skip
    for category, types in builtin.ACTIVITIES.items():
        made = store["activity_type_categories"].insert(uuid=lasting_uuid(category), name=category, created_at=None)
        for name in types:
            store["activity_types"].insert(
                uuid=lasting_uuid(name), name=name, activity_type_category_id=made["id"], created_at=None)  # fmt: skip


def add_contact(store, number):
    """The contact of that number. What it has depends on what divides the number."""
    made = BEGIN + datetime.timedelta(minutes=number)
    first, last = FIRST[number * 7 % len(FIRST)], LAST[number * 11 % len(LAST)]

    def every(count, value, rest=0):
        return value if number % count == rest else None

    born = {"date": datetime.date(1960 + number % 40, number % 12 + 1, number % 28 + 1)}
    contact = store.add_contact(
        uuid=lasting_uuid(f"contact {number}"),
        first_name=first,
        last_name=last if number % 17 else None,
        nickname=every(5, f"Nick{number}"),
        middle_name=every(13, f"M{number}"),
        description=every(3, f"Contact number {number}"),
        gender_id=number % 3 + 1,
        is_starred=number % 10 == 0,
        is_active=number % 50 != 49,
        color=builtin.COLORS[number % len(builtin.COLORS)],
        job=every(4, "Engineer"),
        company=every(4, COMPANIES[number % len(COMPANIES)]),
        food_preferences=every(9, "vegetarian"),
        tags=[number % 4 + 1] if number % 2 else [],
        birthdate=every(3, {**born, "is_age_based": False, "is_year_unknown": False}, rest=1),
        created_at=made,
        updated_at=made,
    )
    add_belongings(store, contact, number, made)
    add_past(store, contact, number)
    if number % 10 == 0:
        befriend(store, contact, store.contact(number - 1), made)


def adder(store, contact, when):
    """Inserts rows of a contact that were made at a time."""

    def add(table, label=None, /, **columns):
        marks = {"uuid": label and lasting_uuid(label), "created_at": when, "updated_at": when}
        owner = {} if "contacts" in columns else {"contact_id": contact["id"]}
        return store[table].insert(**marks, **owner, **columns)

    return add


def add_belongings(store, contact, number, made):
    add = adder(store, contact, made)
    address = f"{contact['first_name']}.{LAST[number * 11 % len(LAST)]}.{number}@example.test".lower()
    add("contact_fields", f"email {number}", contact_field_type_id=1, labels=[], data=address)
    if number % 2 == 0:
        add("contact_fields", f"phone {number}", contact_field_type_id=2, labels=[], data=f"+1555{number:07}")
    if number % 6 == 0:
        add("addresses", f"address {number}", name="Home", street=f"{number} Main St", city="Springfield", province=None,
            postal_code=f"{number:05}", country="US", latitude=None, longitude=None)  # fmt: skip
    if number % 4 == 0:
        add("notes", f"note {number}", body=f"Note {number}", is_favorited=False, favorited_at=None)
    if number % 7 == 0:
        done = number % 2 == 0
        add("tasks", title=f"Task {number}", description=None, completed=done, completed_at=made if done else None)
    if number % 8 == 0:
        add("reminders", f"reminder {number}", title=f"Ping {contact['first_name']}", description=None,
            initial_date=BEGIN.date() + datetime.timedelta(days=number), frequency_type="month", frequency_number=1,
            delible=True)  # fmt: skip
    if number % 11 == 0:
        add("gifts", f"gift {number}", name=f"Gift {number}", status="idea", comment=None, url=None, amount=number * 100,
            date=None, recipient_id=None)  # fmt: skip
    if number % 5 == 0:
        conversation = add(
            "conversations", f"conversation {number}", contact_field_type_id=WHATSAPP, happened_at=made)  # fmt: skip
        for place in (0, 1):
            add("messages", f"message {number} {place}", conversation_id=conversation["id"], written_at=made,
                content=f"message {place} of {number}", written_by_me=place == 0)  # fmt: skip


def add_past(store, contact, number):
    day = BEGIN + datetime.timedelta(days=number % 300)
    if number % 2:
        called = day + datetime.timedelta(hours=number % 24)
        adder(store, contact, called)(
            "calls", f"call {number}", called_at=called, content=f"Call about topic {number}",
            contact_called=number % 4 == 1, emotions=[])  # fmt: skip
        contact["last_talked_to"] = called.date()
    if number % 3 == 0:
        adder(store, contact, day)(
            "activities", f"activity {number}", summary=f"Lunch {number}", description=None, happened_at=day.date(),
            activity_type_id=number % 13 + 1, emotions=[], contacts=[contact["id"]])  # fmt: skip


def befriend(store, one, other, made):
    for a, b in ((one, other), (other, one)):
        store["relationships"].insert(
            uuid=lasting_uuid(f"friendship {a['id']} {b['id']}"), contact_is=a["id"], of_contact=b["id"],
            relationship_type_id=FRIEND, created_at=made, updated_at=made)  # fmt: skip
