"""Birthdays, deaths and first meetings: dates of which a part may be unknown, each with a reminder of its own."""

import datetime

from . import values
from .answers import Invalid, Uncaught
from .store import new_uuid
from .validation import BOOLEAN, required, validate


def exact(store, year, month, day):
    """A date whose year may be unknown. What is too much of days or months runs over."""
    year = int(year or 0)
    january = datetime.date(year or store.clock.today().year, 1, 1)
    first = values.later(january, int(month) - 1)
    date = first + datetime.timedelta(days=int(day) - 1)
    return {"date": date, "is_age_based": False, "is_year_unknown": year == 0}


def of_age(store, age):
    """The first day of the year in which somebody of that age was born."""
    date = datetime.date(store.clock.today().year - int(age), 1, 1)
    return {"date": date, "is_age_based": True, "is_year_unknown": False}


def put(store, contact, name, date):
    """Writes a date. The contact is changed even when it is the same date: Monica makes a new one each time."""
    if date != contact[name] or date is not None:
        contact[name] = date
        store.touch(contact)


def remind(store, contact, name, date, title, delible):
    reminder = store["reminders"].insert(
        uuid=new_uuid(), contact_id=contact["id"], title=title, description=None, initial_date=date["date"],
        frequency_type="year", frequency_number=1, delible=delible)  # fmt: skip
    contact[name] = reminder["id"]


def forget(store, contact, name):
    """Takes the reminder of a date away."""
    if reminder := store["reminders"].get(contact[name]):
        store["reminders"].remove(reminder)
    contact[name] = None


def set_birthdate(store, contact, data):
    known, aged = values.is_true(data.get("is_birthdate_known")), values.is_true(data.get("birthdate_is_age_based"))
    needed = () if not known else ("age",) if aged else ("day", "month")
    missing = {part: [f"The {part} field is required."] for part in needed if data.get(f"birthdate_{part}") is None}
    if missing:
        raise Invalid(missing)
    store.require_active(contact)
    forget(store, contact, "birthday_reminder_id")
    put(store, contact, "birthdate", None)
    if aged and known:
        put(store, contact, "birthdate", of_age(store, data["birthdate_age"]))
    elif known:
        date = exact(store, data.get("birthdate_year"), data["birthdate_month"], data["birthdate_day"])
        put(store, contact, "birthdate", date)
        if values.is_true(data.get("birthdate_add_reminder")):
            dead = values.is_true(data.get("is_deceased"))
            title = "{} would have celebrated their birthday" if dead else "Wish happy birthday to {}"
            remind(store, contact, "birthday_reminder_id", date, title.format(contact["first_name"]), False)


def set_death(store, contact, data):
    known = data.get("is_deceased_date_known")
    rules = [required("is_deceased", BOOLEAN), required("is_date_known", BOOLEAN)]
    validate({"is_deceased": data.get("is_deceased"), "is_date_known": known}, rules, store)
    store.require_active(contact)
    forget(store, contact, "deceased_reminder_id")
    put(store, contact, "deceased_date", None)
    dead = values.is_true(data["is_deceased"])
    store["contacts"].change(contact, is_dead=dead)
    if not dead or not values.is_true(known):
        return
    for place, part in ((3, "month"), (4, "day")):
        if data.get(f"deceased_date_{part}") is None:
            raise Uncaught(
                rf"App\Models\Contact\Contact::setSpecialDate(): Argument #{place} (${part}) must be of type int, null given")
    date = exact(store, data.get("deceased_date_year"), data["deceased_date_month"], data["deceased_date_day"])
    put(store, contact, "deceased_date", date)
    if values.is_true(data.get("deceased_date_add_reminder")):
        title = f"Anniversary of the death of {contact['first_name']}"
        remind(store, contact, "deceased_reminder_id", date, title, True)


def set_first_meeting(store, contact, data):
    forget(store, contact, "first_met_reminder_id")
    if not values.is_true(data.get("is_date_known")):
        put(store, contact, "first_met_date", None)
    elif values.is_true(data.get("is_age_based")):
        put(store, contact, "first_met_date", of_age(store, data["age"]))
    else:
        if "year" not in data:
            raise Uncaught('Undefined array key "year"')
        date = exact(store, data["year"], data["month"], data["day"])
        put(store, contact, "first_met_date", date)
        if values.is_true(data.get("add_reminder")):
            title = f"Anniversary of the day you met {contact['first_name']}"
            remind(store, contact, "first_met_reminder_id", date, title, False)
