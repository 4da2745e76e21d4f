"""/calls"""

from . import values
from .activities import emotions
from .api import WRITE, route
from .records import listing, of_contact, show
from .store import midnight, own_uuid
from .validation import BOOLEAN, INTEGER, LIST, MOMENT, TEXT, Exists, optional, required

CALL = [
    required("called_at", MOMENT),
    optional("content", TEXT),
    optional("contact_called", BOOLEAN),
    optional("emotions", LIST),
]

listing("/calls", "calls", "call", first="-called_at", years_of="called_at")


@route("POST", "/calls")
def create(request):
    data, store = request.data, request.store
    request.validate(required("contact_id", INTEGER), *CALL)
    contact = store.find_active(data["contact_id"])
    row = store["calls"].insert(
        uuid=own_uuid(data),
        contact_id=contact["id"],
        called_at=values.moment(data["called_at"]),
        content=data.get("content"),
        contact_called=values.is_true(data.get("contact_called")),
        emotions=[],
    )
    row["created_at"] = values.moment(data.get("created_at")) or row["created_at"]
    store.note_call(contact, row["called_at"])
    # An unknown emotion is not found when the call is already there.
    row["emotions"] = emotions(data.get("emotions"))
    return request.created(shown(request, row, data.get("contact_called") is not None))


def shown(request, row, told):
    """The default of the column is not known to an answer: who called is shown when the request told it."""
    return {**request.show.call(row), "contact_called": row["contact_called"] if told else None}


show("/calls/{id}", "calls", "call")


@route(WRITE, "/calls/{id}")
def update(request, identifier):
    data, store = request.data, request.store
    request.validate(required("call_id", INTEGER, Exists("calls")), *CALL, call_id=identifier)
    row = store.find("calls", identifier)
    contact = store.contact(row["contact_id"])
    store.require_active(contact)
    called = values.is_true(data.get("contact_called"))
    content = data.get("content") if values.is_true(data.get("content")) else None
    store["calls"].change(row, called_at=values.moment(data["called_at"]), content=content, contact_called=called)
    row["emotions"] = emotions(data.get("emotions")) or row["emotions"]
    store.note_call(contact, row["called_at"])
    return request.data_answer(shown(request, row, called))


@route("DELETE", "/calls/{id}")
def destroy(request, identifier):
    store = request.store
    number = request.integer(identifier, "Contact\\ApiCallController::destroy", 2, "callId")
    row = store.find("calls", number)
    contact = store.contact(row["contact_id"])
    store.require_active(contact)
    store["calls"].remove(row)
    last = max((call["called_at"] for call in store["calls"].where("contact_id", contact["id"])), default=None)
    if midnight(contact["last_talked_to"]) != last:
        store["contacts"].set(contact, last_talked_to=last and last.date())
        store.touch(contact)
    return request.deleted(number)


of_contact("/contacts/{id}/calls", "calls", "call", first="-called_at", years_of="called_at")
