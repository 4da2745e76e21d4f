"""/contactfields, /contactfieldtypes and /addresses: how a contact is reached. Changing one changes the contact."""

from . import builtin, values
from .answers import NotFound
from .api import WRITE, route
from .contacts import CONTACT
from .records import listing, of_contact, show
from .store import new_uuid
from .validation import INTEGER, LINE, LIST, NUMBER, TEXT, AtMost, Exists, Field, optional, required

FIELD = [
    CONTACT,
    required("contact_field_type_id", INTEGER, Exists("contact_field_types")),
    required("data", TEXT, LINE),
    optional("labels", LIST),
]
FIELD_ID = required("contact_field_id", INTEGER, Exists("contact_fields"))
FIELD_TYPE = [
    required("name", LINE),
    optional("fontawesome_icon", LINE),
    optional("protocol", LINE),
    Field("delible", INTEGER),
    optional("type", LINE),
]
PLACE = ("street", "city", "province", "postal_code", "country", "latitude", "longitude")
ADDRESS = [
    *(optional(name, TEXT, LINE) for name in ("name", "street", "city", "province", "postal_code")),
    optional("country", TEXT, AtMost(3)),
    optional("latitude", NUMBER),
    optional("longitude", NUMBER),
    optional("labels", LIST),
]
ADDRESS_ID = required("address_id", INTEGER, Exists("addresses"))


# Contact fields.

show("/contactfields/{id}", "contact_fields", "field")


@route("POST", "/contactfields")
def create_field(request):
    data, store = request.data, request.store
    request.validate(*FIELD)
    contact = store.find_active(data["contact_id"])
    kind = int(data["contact_field_type_id"])
    field = store["contact_fields"].insert(
        uuid=new_uuid(), contact_id=contact["id"], contact_field_type_id=kind, data=data["data"], labels=[])  # fmt: skip
    store.touch(contact)
    put_labels(store, field, data)
    return request.created(request.show.field(field))


@route(WRITE, "/contactfields/{id}")
def update_field(request, identifier):
    data, store = request.data, request.store
    request.validate(FIELD_ID, *FIELD, contact_field_id=identifier)
    field = store.find("contact_fields", identifier)
    contact = store.find_active(data["contact_id"])
    kind = int(data["contact_field_type_id"])
    changed = store["contact_fields"].change(
        field, contact_id=contact["id"], contact_field_type_id=kind, data=data["data"])  # fmt: skip
    if changed:
        store.touch(contact)
    put_labels(store, field, data)
    return request.data_answer(request.show.field(field))


def put_labels(store, field, data):
    """Names the labels of a field, where some are given: those that Monica knows in any case, others as they are."""
    found = []
    for name in values.items(data.get("labels") or ()):
        known = str(name).lower() if str(name).lower() in builtin.LABELS else None
        column, text = ("label_i18n", known) if known else ("label", name)
        label = next((each for each in store["contact_field_labels"] if each[column] == text), None)
        label = label or store["contact_field_labels"].insert(label_i18n=known, label=None if known else name)
        found.append(label["id"])
    if found:
        store["contact_fields"].set(field, labels=list(dict.fromkeys(found)))


@route("DELETE", "/contactfields/{id}")
def destroy_field(request, identifier):
    number = request.integer(identifier, "ApiContactFieldController::destroy", 2, "contactFieldId")
    request.validate(FIELD_ID, contact_field_id=number)
    return remove(request, "contact_fields", number)


def remove(request, table, number):
    row = request.store.find(table, number)
    contact = request.store.contact(row["contact_id"])
    request.store.require_active(contact)
    request.store[table].remove(row)
    request.store.touch(contact)
    return request.deleted(number)


of_contact("/contacts/{id}/contactfields", "contact_fields", "field", sortable=False)


# Types of contact fields.

listing("/contactfieldtypes", "contact_field_types", "field_type", sortable=False, caught=False)


@route("POST", "/contactfieldtypes")
def create_field_type(request):
    data = request.data
    request.validate(*FIELD_TYPE)
    row = request.store["contact_field_types"].insert(
        uuid=data.get("uuid") or new_uuid(),
        **{name: data.get(name) for name in ("name", "fontawesome_icon", "protocol", "type")},
        delible=values.is_true(data.get("delible", True)),
    )
    # The default of the column is not known to the answer.
    return request.created({**request.show.field_type(row), "delible": values.is_true(data.get("delible"))})


show("/contactfieldtypes/{id}", "contact_field_types", "field_type")


@route(WRITE, "/contactfieldtypes/{id}")
def update_field_type(request, identifier):
    data, table = request.data, request.store["contact_field_types"]
    row = request.store.find("contact_field_types", identifier)
    request.validate(*FIELD_TYPE)
    columns = {name: data[name] for name in ("name", "fontawesome_icon", "protocol", "type") if name in data}
    if "delible" in data:
        columns["delible"] = values.is_true(data["delible"])
    table.change(row, **columns)
    return request.data_answer(request.show.field_type(row))


@route("DELETE", "/contactfieldtypes/{id}")
def destroy_field_type(request, identifier):
    """Takes the fields and the conversations of that type along."""
    store = request.store
    row = store.find("contact_field_types", identifier)
    for field in store["contact_fields"].where("contact_field_type_id", row["id"]):
        store["contact_fields"].remove(field)
        store.touch(store.contact(field["contact_id"]))
    for conversation in store["conversations"].where("contact_field_type_id", row["id"]):
        store["conversations"].remove(conversation)
    store["contact_field_types"].remove(row)
    return request.deleted(row["id"])


# Addresses.

listing("/addresses", "addresses", "address")


@route("POST", "/addresses")
def create_address(request):
    data, store = request.data, request.store
    request.validate(CONTACT, *ADDRESS)
    contact = store.find_active(data["contact_id"])
    columns = {name: data.get(name) for name in ("name", *PLACE)}
    row = store["addresses"].insert(uuid=new_uuid(), contact_id=contact["id"], **columns)
    store.touch(contact)
    return request.created(request.show.address(row))


show("/addresses/{id}", "addresses", "address")


@route(WRITE, "/addresses/{id}")
def update_address(request, identifier):
    data, store = request.data, request.store
    request.validate(CONTACT, ADDRESS_ID, *ADDRESS, address_id=identifier)
    row = store.find("addresses", identifier)
    if row["contact_id"] != values.key(data["contact_id"]):
        raise NotFound
    contact = store.find_active(data["contact_id"])
    # The place is a record of its own in Monica: only the name belongs to the address.
    store["addresses"].set(row, **{name: data.get(name) for name in PLACE})
    if store["addresses"].change(row, name=data.get("name")):
        store.touch(contact)
    return request.data_answer(request.show.address(row))


@route("DELETE", "/addresses/{id}")
def destroy_address(request, identifier):
    number = request.integer(identifier, "Contact\\ApiAddressController::destroy", 2, "addressId")
    request.validate(ADDRESS_ID, address_id=number)
    return remove(request, "addresses", number)


of_contact("/contacts/{id}/addresses", "addresses", "address", sortable=False)
