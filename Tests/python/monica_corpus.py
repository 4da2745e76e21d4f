"""Requests to a Monica server: every endpoint, with good and with bad input, the same ones every time."""
import random

KEEP = object()  # a field that is left out
LONG = "x" * 300
JSON = {"Content-Type": "application/json"}

IDENTIFIERS = ["1", "2", "3", "7", "999", "0", "-1", "abc", "1abc", "2.5", "%20", "02"]
BAD_IDENTIFIERS = [0, 999, "02", "999", "abc", "", None, True, 2.5, [], [1], {"a": 1}, KEEP]
BAD_TEXTS = ["", "  ", None, 5, True, ["x"], {"a": "b"}, KEEP]
BAD_FLAGS = ["yes", 2, None, "", [], "true", KEEP]
BAD_MOMENTS = ["soon", "2024-13-01", "2024-02-30", 20240501, None, "", ["2024-05-01"], True, "2024-05-01T25:00:00Z", KEEP]
MOMENTS = ["2024-05-01", "2024-06-01T10:00:00+02:00", "2023-12-31 23:59:59", "2024-05-01T11:12:13Z", " 2022-01-01 "]
DAYS = ["2024-05-01", "2021-12-31", "2020-02-29"]

# For each field: values that are good, and values that are not, or that are odd.
CONTACT_ID = ([1, 2, "3", 5, 6], BAD_IDENTIFIERS)
TEXT = (["Ada", " padded ", "Žofie /x", LONG, "😀"], BAD_TEXTS)
LINE = (["Ada", " padded ", "Žofie /x", "0", "a@b_c d"], [*BAD_TEXTS, LONG])
FLAG = ([True, False, 0, 1, "0", "1"], BAD_FLAGS)
MOMENT = (MOMENTS, BAD_MOMENTS)
DAY = (DAYS, [*BAD_MOMENTS, "2024-05-01T10:00:00Z"])
NUMBER = ([1, 2, "3"], ["x", "01", 1.5, None, [], "", KEEP])
AMOUNT = ([12, 12.5, "1234.56", 0, "1e2"], ["x", None, "", [], True, KEEP])
EMOTIONS = ([[], [1, 2], ["3"], [5, 5], {"a": 7}], [[0], [134], ["x"], "x", None, 3, KEEP])
LABELS = ([[], ["home", "Work"], ["my own", "home", "home"], {"a": "Cell"}], ["x", None, 5, KEEP])

FIELDS = {
    "contacts": {
        "first_name": LINE, "middle_name": LINE, "last_name": LINE, "nickname": LINE, "description": LINE,
        "gender_id": ([1, 2, 3, "1"], BAD_IDENTIFIERS), "is_partial": ([False, 0], BAD_FLAGS),
        "is_birthdate_known": FLAG, "birthdate_day": ([1, 31, "28"], NUMBER[1]), "birthdate_month": ([2, "12"], NUMBER[1]),
        "birthdate_year": ([0, 1980, "2000"], NUMBER[1]), "birthdate_is_age_based": FLAG,
        "birthdate_age": ([7, "40"], NUMBER[1]),
        "birthdate_add_reminder": FLAG, "is_deceased": FLAG, "is_deceased_date_known": FLAG,
        "deceased_date_day": ([1, "31"], NUMBER[1]), "deceased_date_month": ([2, 12], NUMBER[1]),
        "deceased_date_year": ([2020, "0"], NUMBER[1]), "deceased_date_add_reminder": FLAG, "email": LINE, "job": LINE,
        "company": LINE, "food_preferences": (["tea"], [None, KEEP]),
        "first_met_additional_info": (["at a ball"], [None, KEEP]),
        "created_at": (["2021-01-01 00:12:00", "2020-05-05"], ["never", None, 5, KEEP]),
        "uuid": (["6c9d016a-df54-4d8c-904a-2985f1dc0614", "mine"], [5, None, "", KEEP]),
    },
    "contactfields": {
        "contact_id": CONTACT_ID, "contact_field_type_id": ([1, 2, "5"], BAD_IDENTIFIERS), "data": LINE, "labels": LABELS},
    "contactfieldtypes": {
        "name": LINE, "fontawesome_icon": LINE, "protocol": LINE, "delible": ([0, 1, "1"], NUMBER[1]), "type": LINE},
    "addresses": {
        "contact_id": ([1, 2, "3", 6, 12], BAD_IDENTIFIERS), "name": LINE, "street": LINE, "city": LINE, "province": LINE,
        "postal_code": LINE, "country": (["US", "de", "ZZ", None], ["USAX", 5, "", KEEP]), "latitude": AMOUNT,
        "longitude": AMOUNT, "labels": LABELS,
    },
    "activities": {
        "summary": TEXT, "description": TEXT, "happened_at": DAY,
        "contacts": ([[1], [3, 2, 1], ["5"], {"x": 6}], [[], [999], [[1]], [[999]], ["abc"], "x", None, KEEP]),
        "activity_type_id": ([1, "13", 5], [999, "x", None, "", KEEP]), "emotions": EMOTIONS,
    },
    "activitytypes": {
        "activity_type_category_id": ([1, "2"], BAD_IDENTIFIERS), "name": LINE, "translation_key": LINE},
    "calls": {
        "contact_id": CONTACT_ID, "called_at": MOMENT, "content": TEXT, "contact_called": FLAG, "emotions": EMOTIONS,
        "uuid": (["mine", LONG], [None, KEEP]), "created_at": (["2021-01-01 00:12:00"], ["never", None, KEEP]),
    },
    "conversations": {
        "contact_id": CONTACT_ID, "happened_at": MOMENT, "contact_field_type_id": ([5, "2"], BAD_IDENTIFIERS),
        "notes": (["dropped"], [KEEP]), "uuid": (["mine"], [None, KEEP]), "created_at": (["2021-01-01"], ["never", KEEP]),
    },
    "conversations/1/messages": {
        "written_at": MOMENT, "written_by_me": FLAG, "content": TEXT, "uuid": (["mine"], [None, KEEP])},
    "notes": {"body": TEXT, "contact_id": CONTACT_ID, "is_favorited": FLAG},
    "tasks": {"title": TEXT, "description": TEXT, "contact_id": CONTACT_ID, "completed": FLAG},
    "gifts": {
        "contact_id": CONTACT_ID, "name": LINE, "status": (["idea", "offered", "received"], ["lost", 5, None, [], KEEP]),
        "comment": TEXT, "url": TEXT, "amount": AMOUNT, "date": MOMENT, "recipient_id": ([2, "3"], BAD_IDENTIFIERS),
    },
    "debts": {
        "contact_id": CONTACT_ID, "in_debt": (["yes", "no"], ["maybe", 5, None, KEEP]),
        "status": (["inprogress", "completed"], ["lost", None, KEEP]), "amount": AMOUNT, "reason": TEXT,
    },
    "tags": {"name": TEXT},
    "relationships": {
        "contact_is": CONTACT_ID, "of_contact": CONTACT_ID, "relationship_type_id": ([8, "18", 23], BAD_IDENTIFIERS)},
    "reminders": {
        "contact_id": ([1, 2, "3", 8, 16], BAD_IDENTIFIERS), "title": TEXT, "description": TEXT, "initial_date": DAY,
        "frequency_type": (["one_time", "week", "month", "year"], ["day", 5, None, KEEP]), "frequency_number": NUMBER,
        "delible": FLAG,
    },
    "genders": {"name": LINE, "type": (["M", "F", "O"], ["X", 5, None, KEEP])},
    "journal": {"title": LINE, "post": TEXT},
}  # fmt: skip
PARTS = {
    "work": {"job": LINE, "company": LINE},
    "food": {"food_preferences": TEXT},
    "introduction": {
        "met_through_contact_id": ([2, "3"], BAD_IDENTIFIERS), "general_information": TEXT, "where": LINE,
        "is_date_known": FLAG, "is_age_based": FLAG, "day": ([3, "31"], NUMBER[1]), "month": ([2, 12], NUMBER[1]),
        "year": ([2019, 0], NUMBER[1]),
        "age": ([4, "30"], NUMBER[1]), "add_reminder": FLAG,
    },
    "avatar": {"source": (["default", "adorable", "gravatar"], ["photo", "x", None, 5, KEEP])},
}  # fmt: skip

LISTS = [
    "contacts", "addresses", "activities", "calls", "conversations", "notes", "tasks", "gifts", "debts", "tags", "reminders",
    "genders", "journal", "activitytypes", "activitytypecategories", "relationshiptypes", "relationshiptypegroups",
    "contactfieldtypes", "currencies", "countries",
]  # fmt: skip
OWNED = ["addresses", "calls", "conversations", "notes", "tasks", "gifts", "debts", "reminders"]
OF_CONTACT = ["relationships", "contactfields", "activities", "logs", *OWNED]
SORTS = [
    "created_at", "-created_at", "updated_at", "-updated_at", "completed_at", "-completed_at", "called_at", "-called_at",
    "favorited_at", "-favorited_at", "first_name", "", "+created_at",
]  # fmt: skip
LIMITS = ["1", "7", "100", "101", "0", "", "abc", "2.5", "-1", "1e1", " 3 ", "0.5"]
PAGES = ["1", "2", "9", "0", "-1", "abc", "", "99999", "02"]
QUERIES = [
    "alice", "ÁLICE", "nick5", "engineer", "a_a", "%", "al bru", "x y z", "Email:hugo", "email:HUGO", "Email:lopez",
    "Email:%25lopez", "Phone:%2B1555", "Nope:a", "Acme", "a:b:c", ":", "%25li%25", "", "0",
]  # fmt: skip
ODD = """
GET /
GET
GET /nope
GET /contactfields
POST /me
PUT /contacts
GET /contacts/1/work
PATCH /contacts/1/work
DELETE /contacts
GET /conversations/1/messages
POST /contacts/1
POST /countries
POST /relationshiptypes
DELETE /activitytypecategories/1
GET /statistics
GET /me
GET /me/
GET /contacts/
GET /contacts/1/
GET /contacts/%31
HEAD /contacts
HEAD /nope
GET /me/contact
GET /companies
GET /currencies/2
GET /currencies/9
GET /reminders/upcoming/0
GET /reminders/upcoming/1
GET /reminders/upcoming/2
GET /reminders/upcoming/x
GET /reminders/upcoming/-1
GET /tags/2/contacts
GET /tags/x/contacts
GET /tags/999/contacts?limit=3&page=2
GET /contacts?page=2&page=3&limit=2
"""


def good(dice, fields):
    return {name: dice.choice(values) for name, (values, _) in fields.items()}


def variants(dice, fields, count):
    """Good bodies, some with fields left out; one with each field in turn as it should not be; such with several."""
    for _ in range(3):
        body = good(dice, fields)
        yield body
        yield {name: value for name, value in body.items() if dice.random() < 0.8}
    yield {}
    for name, (_, odd) in fields.items():
        yield cut({**good(dice, fields), name: dice.choice(odd)})
    for _ in range(count):
        some = dice.sample(list(fields), min(len(fields), 3))
        yield cut({**good(dice, fields), **{name: dice.choice(fields[name][1]) for name in some}})


def cut(body):
    return {name: value for name, value in body.items() if value is not KEEP}


def reads(dice):
    """What only reads."""
    for name in LISTS:
        yield "GET", f"/{name}", None
        yield "GET", f"/{name}?sort={dice.choice(SORTS)}&limit={dice.choice(LIMITS)}&page={dice.choice(PAGES)}", None
        for identifier in dice.sample(IDENTIFIERS, 4):
            yield "GET", f"/{name}/{identifier}", None
    for name in OF_CONTACT:
        for identifier in dice.sample(IDENTIFIERS, 5):
            yield "GET", f"/contacts/{identifier}/{name}?sort={dice.choice(SORTS)}&limit={dice.choice(LIMITS)}", None
        yield "GET", f"/contacts/1/{name}", None
    for name in ("calls", "tasks", "notes", "contacts"):
        for sort in SORTS:
            yield "GET", f"/{name}?sort={sort.replace('+', '%2B')}&limit={dice.choice(['5', '100'])}", None
    for limit in LIMITS:
        yield "GET", f"/contacts?limit={limit}&page={dice.choice(PAGES)}&with=contactfields", None
    for page in (1, 5, 8, 15, 20, 24, 25, 26):
        yield "GET", f"/contacts?limit=2&page={page}", None
    for query in QUERIES:
        yield "GET", f"/contacts?query={query}&limit=4{dice.choice(['', '&with=contactfields', '&sort=-updated_at'])}", None
    for line in ODD.strip().splitlines():
        method, _, path = line.partition(" ")
        yield method, path, None


def writes(dice):
    """What writes, with what has become of it between."""
    for name, fields in FIELDS.items():
        for body in variants(dice, fields, 3):
            yield "POST", f"/{name}", body
        for number, body in enumerate(variants(dice, fields, 2)):
            identifier = dice.choice(IDENTIFIERS) if number % 3 == 2 else dice.choice(["1", "2", "3"])
            yield dice.choice(["PUT", "PATCH"]), f"/{name}/{identifier}", body
        yield "GET", f"/{name}?sort=-updated_at&limit=100", None
    for name, fields in PARTS.items():
        for body in variants(dice, fields, 4):
            yield "PUT", f"/contacts/{dice.choice(['1', '2', '3', '6', dice.choice(IDENTIFIERS)])}/{name}", body
    for tags in (["family", "New Tag", "FAMILY"], ["", None, "x"], [5], [["a"]], "x", [], None, {"a": "b"}, ["ÉTÉ @ /_home"]):
        yield "POST", f"/contacts/{dice.choice([1, 3])}/setTags", {"tags": tags}
    for tags in ([1, "2"], [999], ["x"], [True], [0], "x", [2.0]):
        yield "POST", "/contacts/3/unsetTag", {"tags": tags}
    for path in ("/contacts/1/unsetTags", "/contacts/999/unsetTags", "/contacts/999/setTags", "/contacts/49/unsetTags"):
        yield "POST", path, {"tags": ["a"]}
    for identifier in (1, "2", 999, "x", None, 49):
        yield "POST", "/me/contact", {"contact_id": identifier}
    yield "GET", "/me", None
    yield "GET", "/contacts/1?with=contactfields", None
    yield "DELETE", "/me/contact", None


def deletes(dice):
    for name in dice.sample(list(FIELDS), len(FIELDS)):
        for identifier in ("2", "2", "999", *dice.sample(IDENTIFIERS, 3)):
            yield "DELETE", f"/{name}/{identifier}", None
        yield "GET", f"/{name}?limit=100", None
    yield "GET", "/contacts/1", None


def states(dice):
    """Contacts that are archived, partial or deleted, in all that may name them."""
    archived, partial, gone, alone = 49, 20, 21, 22
    yield "mutate", [
        {"op": "update", "table": "contacts", "id": partial, "set": {"is_partial": True}},
        {"op": "delete", "table": "contacts", "id": gone},
        {"op": "update", "table": "contacts", "id": alone, "set": {"first_name": "Zed", "stay_in_touch_frequency": 7},
         "touch": False},
        *({"op": "create", "table": table, "values": {"contact_id": contact}} for contact in (archived, partial, gone)
          for table in ("contact_fields", *OWNED)),
        {"op": "create", "table": "activities", "values": {"contacts": [archived, partial, gone], "happened_at": "2024-03-03"}},
    ], None  # fmt: skip
    for contact in (archived, partial, gone):
        for path in ("", *OF_CONTACT):
            yield "GET", f"/contacts/{contact}/{path}".rstrip("/"), None
        for name in ("contactfields", *OWNED):
            yield "POST", f"/{name}", {**good(dice, FIELDS[name]), "contact_id": contact, "emotions": [1]}
            yield "GET", f"/{name}?limit=100&sort=-created_at", None
        yield "POST", "/activities", {**good(dice, FIELDS["activities"]), "contacts": [1, contact]}
        yield "POST", "/relationships", {"contact_is": contact, "of_contact": 1, "relationship_type_id": 8}
        yield "POST", "/relationships", {"contact_is": 1, "of_contact": contact, "relationship_type_id": 8}
        yield "GET", f"/contacts/{contact}", None
        yield "PUT", f"/contacts/{contact}", good(dice, FIELDS["contacts"])
        for name, fields in PARTS.items():
            yield "PUT", f"/contacts/{contact}/{name}", good(dice, fields)
        yield "POST", f"/contacts/{contact}/setTags", {"tags": ["a"]}
        yield "POST", "/me/contact", {"contact_id": contact}
        yield "GET", "/me", None
    # The rows that were made behind the client's back, the newest of their tables.
    for name in ("contactfields", *OWNED):
        for identifier in (24, 25, 26, 27, 28, 50, 51, 52, 53):
            yield "PUT", f"/{name}/{identifier}", {**good(dice, FIELDS[name]), "contact_id": dice.choice([20, 49])}
            yield "DELETE", f"/{name}/{identifier}", None
    for contact in (archived, partial, gone, 10, 9):
        yield "DELETE", f"/contacts/{contact}", None
        yield "GET", f"/contacts/{contact}", None
    yield "mutate", [{"op": "purge", "table": "contacts", "id": 10}, {"op": "unarchive", "id": archived}], None
    yield "GET", "/contacts?limit=100", None
    yield "GET", "/calls?limit=100", None
    yield "GET", "/activities?limit=100", None


def behind(dice):
    """What happens behind the client's back, and what a change of the same changes."""
    for operation in (
        {"op": "create", "table": "contact_fields", "values": {"contact_id": 31, "data": "a"}},
        {"op": "update", "table": "contact_fields", "id": 50, "set": {"data": "b"}},
        {"op": "update", "table": "addresses", "id": 6, "set": {"city": "Ulm"}, "touch": False},
        {"op": "update", "table": "calls", "id": 20, "set": {"called_at": "2024-02-02T02:02:02Z", "contact_id": 32}},
        {"op": "update", "table": "contacts", "id": 33, "set": {"last_talked_to": "2024-02-02", "tags": [1, 3]}},
        {"op": "update", "table": "activities", "id": 15, "set": {"happened_at": "2024-02-02", "contacts": [33, 34]}},
        {"op": "create", "table": "activities", "values": {"contacts": [34], "happened_at": "2024-02-03", "summary": "s"}},
        {"op": "create", "table": "calls", "values": {"contact_id": 35, "called_at": "2029-01-01T10:00:00Z"}},
        {"op": "delete", "table": "calls", "id": 19}, {"op": "purge", "table": "notes", "id": 9},
        {"op": "delete", "table": "calls", "id": 12345}, {"op": "nothing", "table": "calls", "id": 1},
        {"op": "advance_clock", "seconds": 86400},
    ):  # fmt: skip
        yield "mutate", [operation], None
        for contact in (30, 31, 32, 33, 34, 35, 36, 37, 39):
            yield "GET", f"/contacts/{contact}?with=contactfields", None
    for called in ("2029-01-01T10:00:00", "2029-01-01", "2029-01-01", "2028-01-01"):
        yield "PUT", "/calls/5", {"called_at": called}
        yield "GET", "/contacts/9", None
    yield "mutate", [{"op": "update", "table": "contacts", "id": 40, "set": {"is_partial": True}},
                     {"op": "delete", "table": "contacts", "id": 39}], None  # fmt: skip
    yield "GET", "/contacts/40", None
    for body in ({"name": "Home", "street": "new"}, {"name": "Other"}, {"name": "Other", "latitude": 1}):
        yield "PUT", "/addresses/5", {"contact_id": 30, **body}
        yield "GET", "/contacts/30", None
    person = {"first_name": "Same", "is_birthdate_known": True, "birthdate_day": 1, "birthdate_month": 2,
              "birthdate_add_reminder": True, "is_deceased": True, "is_deceased_date_known": False}  # fmt: skip
    death = {"is_deceased_date_known": True, "deceased_date_day": 5, "deceased_date_month": 6}
    for more in ({}, {}, {"birthdate_add_reminder": False}, {"birthdate_add_reminder": False}, {"is_birthdate_known": False},
                 {"is_birthdate_known": False}, death, {**death, "deceased_date_add_reminder": True}, {},
                 {"is_deceased": False}):  # fmt: skip
        yield "PUT", "/contacts/36", {**person, **more}
        yield "GET", "/contacts/36/reminders", None
    for day in ({"is_date_known": True, "day": 1, "month": 2, "year": 2020}, {"is_date_known": False}) * 2:
        for _ in range(2):
            yield "PUT", "/contacts/37/introduction", {**day, "add_reminder": True}
            yield "GET", "/contacts/37/reminders", None


def half_written(dice):
    """Errors that leave something behind, and requests that are odd as a whole."""
    person = {"first_name": "Half", "is_birthdate_known": False, "is_deceased": False, "is_deceased_date_known": False}
    yield "POST", "/contacts", {**person, "is_birthdate_known": True}
    yield "POST", "/contacts", {**person, "is_birthdate_known": True, "birthdate_is_age_based": True}
    yield "POST", "/contacts", {**person, "is_deceased": True, "is_deceased_date_known": True, "deceased_date_day": 4}
    yield "POST", "/contacts", {**person, "is_deceased": True, "is_deceased_date_known": True, "deceased_date_month": 4}
    yield "PUT", "/contacts/4", {name: person[name] for name in person if name != "is_deceased"}
    yield "PUT", "/contacts/4", {**person, "is_deceased": None}
    yield "POST", "/calls", {"contact_id": 4, "called_at": "2024-05-05", "emotions": [999]}
    yield "POST", "/activities", {"summary": "s", "happened_at": "2024-05-05", "contacts": [{"id": 1}]}
    yield "POST", "/activities", {"summary": "s", "happened_at": "2024-05-05", "contacts": [1], "emotions": [999]}
    endless = {"initial_date": "2020-01-01", "frequency_type": "week", "frequency_number": 0, "title": "t"}
    yield "POST", "/reminders", {"contact_id": 4, **endless}
    yield "PUT", "/contacts/4/introduction", {"is_date_known": True, "day": 1, "month": 2}
    for name in ("contacts", "calls", "activities", "reminders"):
        yield "GET", f"/{name}?sort=-created_at&limit=5", None
    for body in (b"null", b"{broken", b"[]", b'["a"]', b"5", b"", b" null ", b'"x"'):
        yield "POST", "/notes", body
        yield "PUT", "/notes/1", body
    yield "POST", "/notes?body=from+query&contact_id=1", {"body": "from body"}
    yield "POST", "/notes?limit=500", {"body": "x", "contact_id": 1}
    yield "POST", "/notes", {"body": "x", "contact_id": 1, "sort": "nothing"}
    yield "DELETE", "/notes/1?sort=nothing", None


# Requests whose head says something else than usual.
HEADS = [
    {"Accept": ""}, {"Accept": "*/*"}, {"Accept": "text/html, application/json"},
    {"Accept": "text/html;q=0.5, application/json"}, {"Accept": "*/*", "X-Requested-With": "XMLHttpRequest"},
    {"Accept": "application/vnd.x+json"}, {"Authorization": ""},
    {"Authorization": "Bearer wrong"}, {"Authorization": "bearer secret"}, {"Authorization": "Basic secret"},
    {"Authorization": "Bearer  secret "}, {"Authorization": "", "Accept": "text/html"},
    {"Content-Type": "text/plain"}, {"Content-Type": "application/x-www-form-urlencoded"},
]  # fmt: skip


def heads():
    for head in HEADS:
        for method, path, body in (
            ("GET", "/contacts/1", None), ("GET", "/nope", None), ("POST", "/me", {}), ("GET", "/contacts/abc", None),
            ("POST", "/notes", b"body=a+b%20c&contact_id=1&body=again"), ("DELETE", "/contacts/999", None),
            ("POST", "/notes", {"body": "x", "contact_id": 1}), ("GET", "/contacts/999", None),
            ("GET", "/currencies?limit=2", None),
        ):  # fmt: skip
            yield method, path, body, head


def corpus(seed=412):
    """(method, path below /api, body, fields of the head) in order; "mutate" is for the control interface."""
    dice = random.Random(seed)
    for part in (reads, writes, half_written, behind, reads, states, deletes, reads):
        for method, path, body in part(dice):
            yield method, path, body, {}
    yield from heads()
