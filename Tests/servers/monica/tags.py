"""/tags, and the tags of contacts."""

from . import values
from .answers import Invalid, InvalidUncaught, Missing
from .api import READ, WRITE, route
from .paging import page
from .records import listing, show
from .validation import INTEGER, LIST, TEXT, required, validate

NAME = required("name", TEXT)
NUMBER = required("tag_id", INTEGER)

listing("/tags", "tags", "tag", first="name")


@route("POST", "/tags")
def create(request):
    request.validate(NAME)
    return request.created(request.show.tag(request.store.add_tag(request.data["name"])))


show("/tags/{id}", "tags", "tag")


@route(WRITE, "/tags/{id}")
def update(request, identifier):
    number = request.integer(identifier, "ApiTagController::update", 2, "id")
    request.validate(NAME)
    tag = request.store.find("tags", number)
    name = request.data["name"]
    request.store["tags"].change(tag, name=name, name_slug=values.slug(name))
    return request.data_answer(request.show.tag(tag))


@route("DELETE", "/tags/{id}")
def destroy(request, identifier):
    store = request.store
    request.validate(NUMBER, tag_id=identifier)
    tag = store.find("tags", identifier)
    for contact in store["contacts"].where("tags", tag["id"]):
        untie(store, contact, tag["id"])
    store["tags"].remove(tag)
    return request.deleted(identifier)


@route(READ, "/tags/{id}/contacts")
def contacts(request, identifier):
    number = request.integer(identifier, "ApiTagController::contacts", 2, "tagId")
    tagged = request.store["contacts"].where("tags", number)
    rows = [each for each in tagged if each["deleted_at"] is None and not each["is_partial"] and each["is_active"]]
    return page(request, "contacts", rows, lambda each: request.show.contact(each, fields=True), sortable=False)


# The tags of a contact. They do not change its updated_at.


def tie(store, contact, number):
    store["contacts"].set(contact, tags=sorted({*contact["tags"], number}))


def untie(store, contact, number):
    store["contacts"].set(contact, tags=[each for each in contact["tags"] if each != number])


def given(request, identifier):
    """The contact and the tags that a request names."""
    contact = request.store.find_contact(identifier)
    request.validate(required("tags", LIST))
    return contact, [tag for tag in values.items(request.data["tags"]) if values.is_true(tag)]


def check(store, contact, field=None, value=None):
    """That a tag is given as it should be, to a contact that may be changed. Errors here are Laravel's."""
    try:
        if field:
            validate({field.name: value}, [field], store)
        store.require_active(contact)
    except Invalid as invalid:
        raise InvalidUncaught(invalid) from None


@route("POST", "/contacts/{id}/setTags")
def set_tags(request, identifier):
    store = request.store
    contact, names = given(request, identifier)
    for name in names:
        check(store, contact, NAME, name)
        same = (tag for tag in store["tags"] if values.folded(tag["name"]) == values.folded(name))
        tie(store, contact, (next(same, None) or store.add_tag(name))["id"])
    return request.data_answer(request.show.contact(contact))


@route("POST", "/contacts/{id}/unsetTags")
def unset_tags(request, identifier):
    contact = request.store.find_contact(identifier)
    if contact["tags"]:
        check(request.store, contact)
    request.store["contacts"].set(contact, tags=[])
    return request.data_answer(request.show.contact(contact))


@route("POST", "/contacts/{id}/unsetTag")
def unset_tag(request, identifier):
    store = request.store
    contact, numbers = given(request, identifier)
    for number in numbers:
        check(store, contact, NUMBER, number)
        if store["tags"].get(int(number)) is None:
            raise Missing("Tag", number)
        untie(store, contact, int(number))
    return request.data_answer(request.show.contact(contact))
