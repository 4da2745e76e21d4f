"""/activities, their types and their categories."""

from . import builtin, values
from .answers import NotFound, Uncaught
from .api import WRITE, route
from .records import listing, of_contact, show
from .store import new_uuid
from .validation import DAY, INTEGER, LINE, LIST, MOMENT, TEXT, Exists, optional, required

ACTIVITY = [
    optional("activity_type_id", INTEGER, Exists("activity_types")),
    required("summary", TEXT),
    optional("description", TEXT),
    required("happened_at", MOMENT, DAY),
    optional("emotions", LIST),
    required("contacts", LIST),
]
ACTIVITY_ID = required("activity_id", INTEGER, Exists("activities"))
TYPE = [optional("name", TEXT, LINE), optional("translation_key", TEXT, LINE)]
TYPE_ID = required("activity_type_id", INTEGER, Exists("activity_types"))
CATEGORY = required("activity_type_category_id", INTEGER, Exists("activity_type_categories"))


def emotions(given):
    """The ids of emotions; not found when one of them is none."""
    found = [values.key(each) for each in values.items(given or ())]
    if not all(0 < number <= len(builtin.EMOTIONS) for number in found):
        raise NotFound
    return list(dict.fromkeys(found))


def columns(request):
    """What an activity gets from the input, when everybody in it exists."""
    data = request.data
    for attendee in values.items(data["contacts"]):
        for each in values.items(attendee) if values.is_list(attendee) else [attendee]:
            request.store.find_contact(each)
    return {
        "summary": data["summary"][:255],
        "description": data.get("description"),
        "happened_at": values.day(data["happened_at"]),
        "activity_type_id": values.whole(data.get("activity_type_id")),
    }


def attend(store, activity, attendees):
    """Writes who was there. A list inside of the list has passed all checks, and breaks here."""
    if any(values.is_list(each) for each in attendees):
        raise Uncaught("Illegal offset type")
    store["activities"].set(activity, contacts=sorted({values.key(each) for each in attendees}))


listing("/activities", "activities", "activity", years_of="happened_at")


@route("POST", "/activities")
def create(request):
    data, store = request.data, request.store
    request.validate(*ACTIVITY)
    row = store["activities"].insert(
        uuid=new_uuid(), **columns(request), emotions=emotions(data.get("emotions")), contacts=[])  # fmt: skip
    attend(store, row, values.items(data["contacts"]))
    # The answer has the summary before the column cut it.
    return request.created({**request.show.activity(row), "summary": data["summary"]})


show("/activities/{id}", "activities", "activity")


@route(WRITE, "/activities/{id}")
def update(request, identifier):
    data, store = request.data, request.store
    request.validate(ACTIVITY_ID, *ACTIVITY, activity_id=identifier)
    row = store.find("activities", identifier)
    changes, felt = columns(request), emotions(data.get("emotions"))
    store["activities"].change(row, **changes)
    store["activities"].set(row, emotions=felt or row["emotions"])
    attend(store, row, values.items(data["contacts"]))
    return request.data_answer(request.show.activity(row))


@route("DELETE", "/activities/{id}")
def destroy(request, identifier):
    request.validate(ACTIVITY_ID, activity_id=identifier)
    request.store["activities"].remove(request.store.find("activities", identifier))
    return request.deleted(identifier)


of_contact(
    "/contacts/{id}/activities", "activities", "activity", column="contacts", years_of="happened_at",
    first="-happened_at", caught=True)  # fmt: skip


listing("/activitytypes", "activity_types", "activity_type")


@route("POST", "/activitytypes")
def create_type(request):
    data = request.data
    request.validate(CATEGORY, *TYPE)
    row = request.store["activity_types"].insert(
        uuid=new_uuid(), name=data.get("name"), activity_type_category_id=int(data["activity_type_category_id"]))  # fmt: skip
    return request.data_answer(request.show.activity_type(row))


show("/activitytypes/{id}", "activity_types", "activity_type")


@route(WRITE, "/activitytypes/{id}")
def update_type(request, identifier):
    data, store = request.data, request.store
    request.validate(CATEGORY, TYPE_ID, *TYPE, activity_type_id=identifier)
    row = store.find("activity_types", identifier)
    category = int(data["activity_type_category_id"])
    store["activity_types"].change(row, name=data.get("name"), activity_type_category_id=category)
    return request.data_answer(request.show.activity_type(row))


@route("DELETE", "/activitytypes/{id}")
def destroy_type(request, identifier):
    number = request.integer(identifier, "Account\\Activity\\ApiActivityTypeController::destroy", 2, "activityTypeId")
    request.validate(TYPE_ID, activity_type_id=number)
    store = request.store
    store["activity_types"].remove(store.find("activity_types", number))
    for activity in store["activities"].where("activity_type_id", number):
        store["activities"].set(activity, activity_type_id=None)
    return request.deleted(number)


listing("/activitytypecategories", "activity_type_categories", "activity_category")
show("/activitytypecategories/{id}", "activity_type_categories", "activity_category")
