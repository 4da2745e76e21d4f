"""/contacts"""

import re
import urllib.parse

from . import builtin, values
from .answers import Invalid, InvalidUncaught, Missing, NotFound, Uncaught
from .api import READ, WRITE, route
from .paging import page
from .relationships import cut_all
from .special_dates import set_birthdate, set_death, set_first_meeting
from .store import new_uuid
from .validation import (
    BOOLEAN, INTEGER, LINE, TEXT, AtMost, Exists, Field, one_of, optional, required, validate)  # fmt: skip

CONTACT = required("contact_id", INTEGER, Exists("contacts"))
UUID = optional("uuid", TEXT)
NAMES = [
    required("first_name", TEXT, LINE),
    *(optional(name, TEXT, LINE) for name in ("middle_name", "last_name", "nickname")),
]
PERSON = [
    optional("gender_id", INTEGER, Exists("genders")),
    optional("description", TEXT, LINE),
    optional("is_partial", BOOLEAN),
    required("is_birthdate_known", BOOLEAN),
    *(optional(f"birthdate_{part}", INTEGER) for part in ("day", "month", "year")),
    optional("birthdate_is_age_based", BOOLEAN),
    optional("birthdate_age", INTEGER),
    optional("birthdate_add_reminder", BOOLEAN),
]
DEATH = [
    required("is_deceased_date_known", BOOLEAN),
    *(optional(f"deceased_date_{part}", INTEGER) for part in ("day", "month", "year")),
    optional("deceased_date_add_reminder", BOOLEAN),
]
TO_CREATE = [UUID, *NAMES, optional("email", TEXT, LINE), *PERSON, required("is_deceased", BOOLEAN), *DEATH]
TO_UPDATE = [required("contact_id", INTEGER), UUID, *NAMES, *PERSON, optional("is_deceased", BOOLEAN), *DEATH]
SEARCHED = ("first_name", "middle_name", "last_name", "nickname", "description", "job")


def shown(request, contact, status=200):
    return request.data_answer(request.show.contact(contact, request.with_fields), status)


@route(READ, "/contacts")
def listing(request):
    there = [each for each in request.store["contacts"] if each["deleted_at"] is None and not each["is_partial"]]
    if values.is_true(request.data.get("query")):
        return search(request, there, urllib.parse.unquote(str(request.data["query"])))
    active = [each for each in there if each["is_active"]]
    return page(request, "contacts", active, lambda each: request.show.contact(each, request.with_fields))


def search(request, contacts, query):
    """By words in columns, or by "type:beginning" of a contact field."""
    if by_field := re.search("(.+):(.+)", query):
        contacts = [each for each in contacts if has_field(request.store, each, *by_field.groups())]
        return page(request, "contacts", contacts, lambda each: request.show.contact(each, request.with_fields), query=query)
    tests = [values.like(f"%{word}%") for word in query.split(" ")]
    found = [each for each in contacts if any(test(each[name]) for test in tests for name in SEARCHED)]

    def hit(contact):
        if request.settings.pre412:
            contact["uuid"] = new_uuid()
            request.store.touch(contact)
        return request.show.contact(contact, request.with_fields, searched=True)

    return page(request, "contacts", found, hit, query=query)


def has_field(store, contact, kind, beginning):
    types = [each["id"] for each in store["contact_field_types"] if values.like(kind)(each["name"])]
    begins = values.like(beginning + "%")
    fields = store["contact_fields"].where("contact_id", contact["id"])
    return any(field["contact_field_type_id"] == types[0] and begins(field["data"]) for field in fields if types)


@route("POST", "/contacts")
def create(request):
    data, store = request.data, request.store
    request.validate(*TO_CREATE)
    contact = store.add_contact(
        uuid=data.get("uuid") or new_uuid(),
        first_name=data["first_name"],
        **{name: data.get(name) for name in ("middle_name", "last_name", "nickname", "description")},
        **{name: data.get(name) for name in ("job", "company", "food_preferences")},
        gender_id=values.whole(data.get("gender_id")),
        is_partial=values.is_true(data.get("is_partial")),
        first_met_info=data.get("first_met_additional_info"),
        has_avatar=False,
    )
    contact["color"] = builtin.COLORS[contact["id"] % len(builtin.COLORS)]
    contact["created_at"] = values.moment(data.get("created_at")) or contact["created_at"]
    # Nothing takes the contact back when one of these refuses.
    set_birthdate(store, contact, data)
    set_death(store, contact, data)
    if data.get("email"):
        add_email(store, contact, data["email"])
    contact["has_avatar"] = True
    return shown(request, contact, 201)


def add_email(store, contact, address):
    kind = next((each for each in store["contact_field_types"] if each["type"] == "email"), None)
    if kind:
        store["contact_fields"].insert(
            uuid=new_uuid(), contact_id=contact["id"], contact_field_type_id=kind["id"], data=address, labels=[])  # fmt: skip


@route(READ, "/contacts/{id}")
def show(request, identifier):
    contact = request.store.contact(request.integer(identifier, "ApiContactController::show", 2, "id"))
    if contact is None:
        raise NotFound
    return shown(request, contact)


@route(WRITE, "/contacts/{id}")
def update(request, identifier):
    data, store = request.data, request.store
    request.validate(*TO_UPDATE, contact_id=identifier)
    contact = store.find_active(identifier)
    kept = ("first_name", "middle_name", "last_name", "nickname", "job", "company", "food_preferences")
    columns = {name: data[name] for name in kept if name in data}
    if "first_met_additional_info" in data:
        columns["first_met_info"] = data["first_met_additional_info"]
    if "gender_id" in data:
        columns["gender_id"] = values.whole(data["gender_id"])
    if data.get("is_partial") is not None:
        columns["is_partial"] = values.is_true(data["is_partial"])
    if is_uuid(data.get("uuid")):
        columns["uuid"] = data["uuid"]
    if created := values.moment(data.get("created_at")):
        columns["created_at"] = created
    store["contacts"].change(contact, **columns, description=data.get("description"))
    if "is_deceased" not in data:
        raise Uncaught('Undefined array key "is_deceased"')
    set_birthdate(store, contact, data)
    set_death(store, contact, data)
    return shown(request, contact)


def is_uuid(text):
    return isinstance(text, str) and re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text) is not None


@route("DELETE", "/contacts/{id}")
def destroy(request, identifier):
    if request.settings.queue == "async":
        request.store.waiting.append(identifier)
    else:
        delete(request.store, identifier)
    return request.deleted(identifier)


def delete(store, identifier):
    """Marks a contact as deleted. It is a job of Monica's queue, and so its errors are Laravel's."""
    try:
        validate({"contact_id": identifier}, [CONTACT], store)
        contact = store.contact(values.key(identifier))
        if contact is None:
            raise Missing("Contact", identifier)
        store.require_active(contact)
    except Invalid as invalid:
        raise InvalidUncaught(invalid) from None
    cut_all(store, contact)
    store["contacts"].change(contact, deleted_at=store.clock.now())


# Parts of a contact that have a path of their own.


def find_whole(request, identifier, *fields):
    request.validate(CONTACT, *fields, contact_id=identifier)
    contact = request.store.find_active(identifier)
    if contact["is_partial"]:
        raise Invalid({"contact_id": ["The contact can't be a partial contact"]})
    return contact


@route("PUT", "/contacts/{id}/work")
def work(request, identifier):
    contact = find_whole(request, identifier, optional("job", TEXT, LINE), optional("company", TEXT, LINE))
    request.store["contacts"].change(contact, job=request.data.get("job"), company=request.data.get("company"))
    return request.data_answer(request.show.contact(contact))


@route("PUT", "/contacts/{id}/food")
def food(request, identifier):
    contact = find_whole(request, identifier, optional("food_preferences", TEXT, AtMost(65535)))
    request.store["contacts"].change(contact, food_preferences=request.data.get("food_preferences"))
    return request.data_answer(request.show.contact(contact))


@route("PUT", "/contacts/{id}/introduction")
def introduction(request, identifier):
    data, store = request.data, request.store
    known, aged = values.is_true(data.get("is_date_known")), values.is_true(data.get("is_age_based"))
    contact = find_whole(
        request,
        identifier,
        optional("met_through_contact_id", INTEGER, Exists("contacts")),
        optional("general_information", TEXT, AtMost(65535)),
        optional("where", TEXT, LINE),
        required("is_date_known", BOOLEAN),
        optional("is_age_based", BOOLEAN),
        *(Field(part, INTEGER, required=known and not aged, nullable=True) for part in ("day", "month")),
        optional("year", INTEGER),
        Field("age", INTEGER, required=known and aged, nullable=True),
        optional("add_reminder", BOOLEAN),
    )
    through = data.get("met_through_contact_id")
    through = store.find_contact(through)["id"] if through else None
    store["contacts"].change(contact, first_met_through=through)
    set_first_meeting(store, contact, data)
    store["contacts"].change(contact, first_met_info=data.get("general_information"))
    return request.data_answer(request.show.contact(contact))


@route("PUT", "/contacts/{id}/avatar")
def avatar(request, identifier):
    data, store = request.data, request.store
    request.validate(CONTACT, required("source", one_of("default", "adorable", "gravatar", "photo")), contact_id=identifier)
    photo = None
    if data["source"] == "photo":
        photo = store["photos"].get(values.key(data.get("photo_id")))
        if photo is None:
            raise Invalid({"photo_id": ["The photo id field is required when source is photo."]})
    contact = store.find_active(identifier)
    store["contacts"].change(contact, avatar_source=data["source"])
    if photo:
        contact["avatar_photo_id"] = photo["id"]
    return request.data_answer(request.show.contact(contact))


@route(READ, "/contacts/{id}/logs")
def logs(request, identifier):
    request.store.find_contact(request.integer(identifier, "Contact\\ApiAuditLogController::index", 2, "contactId"))
    return page(request, "logs", [], None)


@route(READ, "/logs")
def account_logs(request):
    """Of all that a server notes, who was made: newest first."""
    made = reversed(tuple(request.store["contacts"]))
    return page(request, "logs", list(made), request.show.creation, sortable=False)
