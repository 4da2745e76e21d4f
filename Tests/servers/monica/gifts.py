"""/gifts and /debts: what is given, and what is owed. Amounts are kept in cents."""

from . import values
from .api import WRITE, route
from .contacts import CONTACT
from .records import listing, of_contact, show
from .store import new_uuid
from .validation import INTEGER, LINE, MOMENT, NUMBER, TEXT, AtMost, Exists, one_of, optional, required

LONG = AtMost(1_000_000)
GIFT_ID = required("gift_id", INTEGER, Exists("gifts"))
GIFT = [
    CONTACT,
    required("name", TEXT, LINE),
    required("status", one_of("idea", "offered", "received")),
    optional("comment", TEXT, LONG),
    optional("url", TEXT, LONG),
    optional("amount", NUMBER),
    optional("date", MOMENT),
    optional("recipient_id", INTEGER, Exists("contacts")),
]
DEBT = [
    required("in_debt", TEXT, one_of("yes", "no")),
    required("status", TEXT, one_of("inprogress", "completed")),
    required("amount", NUMBER),
    optional("reason", TEXT, LONG),
    required("contact_id", INTEGER),
]


def gift_columns(request):
    data, store = request.data, request.store
    contact = store.find_active(data["contact_id"])
    recipient, date = data.get("recipient_id"), values.moment(data.get("date"))
    return {
        **{name: data.get(name) for name in ("name", "status", "comment", "url")},
        "contact_id": contact["id"],
        "amount": values.cents(data.get("amount")),
        "date": date and date.date(),
        "recipient_id": None if recipient is None else store.find_contact(recipient)["id"],
    }


listing("/gifts", "gifts", "gift")


@route("POST", "/gifts")
def create_gift(request):
    request.validate(*GIFT)
    row = request.store["gifts"].insert(uuid=new_uuid(), **gift_columns(request))
    return request.created(request.show.gift(row))


show("/gifts/{id}", "gifts", "gift")


@route(WRITE, "/gifts/{id}")
def update_gift(request, identifier):
    request.validate(GIFT_ID, *GIFT, gift_id=identifier)
    row = request.store.find("gifts", identifier)
    request.store["gifts"].change(row, **gift_columns(request))
    return request.data_answer(request.show.gift(row))


@route("DELETE", "/gifts/{id}")
def destroy_gift(request, identifier):
    store = request.store
    request.validate(GIFT_ID, gift_id=identifier)
    row = store.find("gifts", identifier)
    store.require_active(store.contact(row["contact_id"]))
    store["gifts"].remove(row)
    return request.deleted(identifier)


of_contact("/contacts/{id}/gifts", "gifts", "gift", caught=True)


listing("/debts", "debts", "debt")


@route("POST", "/debts")
def create_debt(request):
    data, store = request.data, request.store
    request.validate(*DEBT)
    contact = store.find_contact(data["contact_id"])
    row = store["debts"].insert(
        uuid=data.get("uuid") or new_uuid(), contact_id=contact["id"], in_debt=data["in_debt"], status=data["status"],
        amount=values.cents(data["amount"]), reason=data.get("reason"))  # fmt: skip
    return request.created(request.show.debt(row))


show("/debts/{id}", "debts", "debt")


@route(WRITE, "/debts/{id}")
def update_debt(request, identifier):
    data, store = request.data, request.store
    row = store.find("debts", identifier)
    request.validate(*DEBT)
    contact = store.find_contact(data["contact_id"])
    reason = {"reason": data["reason"]} if "reason" in data else {}
    amount = values.cents(data["amount"])
    store["debts"].change(
        row, in_debt=data["in_debt"], status=data["status"], amount=amount, contact_id=contact["id"], **reason)  # fmt: skip
    return request.data_answer(request.show.debt(row))


@route("DELETE", "/debts/{id}")
def destroy_debt(request, identifier):
    row = request.store.find("debts", identifier)
    request.store["debts"].remove(row)
    return request.deleted(row["id"])


of_contact("/contacts/{id}/debts", "debts", "debt")
