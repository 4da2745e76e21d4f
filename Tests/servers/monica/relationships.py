"""/relationships: two records for each, one from either side."""

from . import values
from .api import READ, WRITE, route
from .records import listing, show
from .store import new_uuid
from .validation import INTEGER, Exists, required

TYPE = required("relationship_type_id", INTEGER, Exists("relationship_types"))
RELATIONSHIP = required("relationship_id", INTEGER, Exists("relationships"))


def reverse_type(store, kind):
    return next((each for each in store["relationship_types"] if each["name"] == kind["name_reverse_relationship"]), None)


def reverse(store, row):
    kind = reverse_type(store, store["relationship_types"].get(row["relationship_type_id"]))
    for each in store["relationships"].where("contact_is", row["of_contact"]):
        if kind and each["of_contact"] == row["contact_is"] and each["relationship_type_id"] == kind["id"]:
            return each
    return None


def cut(store, row, deleted=None):
    """Removes both sides, and a partial contact that has no other relationship; deleted is about to go anyway."""
    other = store.contact(row["of_contact"])
    store.touch(store.contact(row["contact_is"]))
    store.touch(other)
    table = store["relationships"]
    if other_side := reverse(store, row):
        table.remove(other_side)
    table.remove(row)
    if other and other["is_partial"] and other is not deleted:
        if not table.where("contact_is", other["id"]) and not table.where("of_contact", other["id"]):
            other["deleted_at"] = store.clock.now()


def cut_all(store, contact):
    table = store["relationships"]
    for row in table:
        if contact["id"] in (row["contact_is"], row["of_contact"]) and table.get(row["id"]):
            cut(store, row, deleted=contact)


show("/relationships/{id}", "relationships", "relationship")


@route("POST", "/relationships")
def create(request):
    store = request.store
    sides = (required(name, INTEGER, Exists("contacts")) for name in ("contact_is", "of_contact"))
    request.validate(*sides, TYPE)
    one = store.find_active(request.data["contact_is"])
    other = store.find_contact(request.data["of_contact"])
    kind = store.find("relationship_types", request.data["relationship_type_id"])
    back = reverse_type(store, kind)
    made = connect(store, one, other, kind)
    if back:
        connect(store, other, one, back)
    store.touch(one)
    store.touch(other)
    return request.created(request.show.relationship(made))


def connect(store, one, other, kind):
    return store["relationships"].insert(
        uuid=new_uuid(), contact_is=one["id"], of_contact=other["id"], relationship_type_id=kind["id"])  # fmt: skip


@route(WRITE, "/relationships/{id}")
def update(request, identifier):
    store = request.store
    request.validate(RELATIONSHIP, TYPE, relationship_id=identifier)
    row = store.find("relationships", identifier)
    store.require_active(store.contact(row["contact_is"]))
    kind = store.find("relationship_types", request.data["relationship_type_id"])
    other_side, back = reverse(store, row), reverse_type(store, kind)
    table = store["relationships"]
    changed = other_side and back and table.change(other_side, relationship_type_id=back["id"])
    if table.change(row, relationship_type_id=kind["id"]) or changed:
        store.touch(store.contact(row["contact_is"]))
        store.touch(store.contact(row["of_contact"]))
    return request.data_answer(request.show.relationship(row))


@route("DELETE", "/relationships/{id}")
def destroy(request, identifier):
    store = request.store
    request.validate(RELATIONSHIP, relationship_id=identifier)
    row = store.find("relationships", identifier)
    store.require_active(store.contact(row["contact_is"]))
    cut(store, row)
    return request.deleted(identifier)


@route(READ, "/contacts/{id}/relationships")
def of_contact(request, identifier):
    """All of them, without pages, and none of a contact that does not exist."""
    rows = request.store["relationships"].where("contact_is", values.key(identifier))
    return request.data_answer([request.show.relationship(row) for row in rows])


# The types are the account's, and the API cannot change them.

for path, table, name in (
    ("/relationshiptypegroups", "relationship_type_groups", "relationship_group"),
    ("/relationshiptypes", "relationship_types", "relationship_type"),
):
    listing(path, table, name, sortable=False, caught=False)
    show(path + "/{id}", table, name)
