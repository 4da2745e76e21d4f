"""/reminders, and the days on which they are due."""

import datetime

from . import values
from .answers import NotFound, Uncaught
from .api import READ, WRITE, route
from .contacts import CONTACT
from .records import listing, of_contact, show
from .store import new_uuid
from .validation import BOOLEAN, DAY, INTEGER, TEXT, AtMost, Exists, one_of, optional, required

REMINDER_ID = required("reminder_id", INTEGER, Exists("reminders"))


def reminder(number):
    """The fields of a reminder but its contact; number is how the frequency is asked for."""
    return [
        required("initial_date", DAY),
        required("frequency_type", one_of("one_time", "week", "month", "year")),
        number,
        required("title", TEXT, AtMost(100_000)),
        optional("description", AtMost(1_000_000)),
        optional("delible", BOOLEAN),
    ]


TO_CREATE = reminder(required("frequency_number", INTEGER))
TO_UPDATE = reminder(optional("frequency_number", INTEGER))


def columns(data):
    return {
        "title": data["title"],
        "description": data.get("description"),
        "initial_date": values.day(data["initial_date"]),
        "frequency_type": data["frequency_type"],
        "frequency_number": values.whole(data.get("frequency_number")),
        "delible": values.is_true(data["delible"]) if data.get("delible") is not None else True,
    }


def plan(request, row):
    """Monica looks for the next day by steps of the frequency: it never ends when they do not lead there."""
    if (row["frequency_number"] or 0) < 1 and row["initial_date"] <= request.store.clock.today():
        raise Uncaught("Maximum execution time of 30 seconds exceeded")


@route(READ, "/reminders/upcoming/{month}")
def upcoming(request, month):
    """What is due in the current month, the next one, or one after that."""
    store, today = request.store, request.store.clock.today()
    months = request.integer(month, "ApiReminderController::upcoming", 2, "month")
    begin = values.later(today.replace(day=1), months)
    end = values.later(begin, 1)
    due = [(next_day(row, today), row) for row in store["reminders"] if store.contact(row["contact_id"])]
    due = [(day, row) for day, row in due if max(begin, today) <= day < end]
    due.sort(key=lambda planned: planned[0])
    return request.data_answer([request.show.occurrence(row, day) for day, row in due])


def next_day(row, today):
    """The first day after today. Also what happens once goes on by years until it is in the future."""
    date, number = row["initial_date"], row["frequency_number"]
    number = 1 if number is None else number
    while number > 0 and date <= today:
        if row["frequency_type"] == "week":
            date += datetime.timedelta(weeks=number)
        else:
            date = values.later(date, number if row["frequency_type"] == "month" else 12 * number)
    return date


listing("/reminders", "reminders", "reminder")


@route("POST", "/reminders")
def create(request):
    data, store = request.data, request.store
    request.validate(CONTACT, *TO_CREATE)
    contact = store.find_active(data["contact_id"])
    row = store["reminders"].insert(uuid=new_uuid(), contact_id=contact["id"], **columns(data))
    plan(request, row)
    return request.created(request.show.reminder(row))


show("/reminders/{id}", "reminders", "reminder")


@route(WRITE, "/reminders/{id}")
def update(request, identifier):
    data, store = request.data, request.store
    request.validate(CONTACT, REMINDER_ID, *TO_UPDATE, reminder_id=identifier)
    row = store.find("reminders", identifier)
    if row["contact_id"] != values.key(data["contact_id"]):
        raise NotFound
    store.find_active(data["contact_id"])
    store["reminders"].change(row, **columns(data))
    plan(request, row)
    return request.data_answer(request.show.reminder(row))


@route("DELETE", "/reminders/{id}")
def destroy(request, identifier):
    store = request.store
    number = request.integer(identifier, "ApiReminderController::destroy", 2, "reminderId")
    request.validate(REMINDER_ID, reminder_id=number)
    row = store.find("reminders", number)
    store.require_active(store.contact(row["contact_id"]))
    for each in store["contacts"]:
        for name in ("birthday_reminder_id", "deceased_reminder_id", "first_met_reminder_id"):
            if each[name] == number:
                each[name] = None
    store["reminders"].remove(row)
    return request.deleted(number)


of_contact("/contacts/{id}/reminders", "reminders", "reminder")
