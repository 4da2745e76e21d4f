"""/me, /genders, and what is the same for everybody."""

from . import builtin, values
from .answers import Answer, NotFound
from .api import READ, WRITE, route
from .contacts import CONTACT
from .paging import page
from .records import listing, show
from .resources import currency
from .contact_resources import country
from .validation import INTEGER, LINE, TEXT, Exists, one_of, required

GENDER = [required("name", TEXT, LINE), required("type", one_of("M", "F", "O"))]
GENDER_ID = required("gender_id", INTEGER, Exists("genders"))
ROOTS = (
    "activities", "addresses", "calls", "contacts", "conversations", "countries", "currencies", "documents", "journal",
    "notes", "relationships", "reminders", "statistics",
)  # fmt: skip


@route(READ, "")
def root(request):
    links = {f"{name}_url": request.show.url(name) for name in ROOTS}
    links["relationships_url"] = request.show.url("contacts/:contactId/relationships")
    return Answer(200, values.compact({"success": {"message": "Welcome to Monica"}, "links": links}))


@route(READ, "/me")
def me(request):
    return request.data_answer(request.show.user())


def done():
    return Answer(200, values.compact(["true"]))


@route("POST", "/me/contact")
def set_me(request):
    request.validate(CONTACT)
    request.store.me = request.store.find_contact(request.data["contact_id"])["id"]
    return done()


@route("DELETE", "/me/contact")
def unset_me(request):
    request.store.me = None
    return done()


listing("/genders", "genders", "gender")


@route("POST", "/genders")
def create_gender(request):
    request.validate(*GENDER)
    row = request.store["genders"].insert(name=request.data["name"], type=request.data["type"])
    return request.created(request.show.gender(row))


show("/genders/{id}", "genders", "gender")


@route(WRITE, "/genders/{id}")
def update_gender(request, identifier):
    request.validate(GENDER_ID, *GENDER, gender_id=identifier)
    row = request.store.find("genders", identifier)
    request.store["genders"].change(row, name=request.data["name"], type=request.data["type"])
    return request.data_answer(request.show.gender(row))


@route("DELETE", "/genders/{id}")
def destroy_gender(request, identifier):
    number = request.integer(identifier, "Account\\ApiGenderController::destroy", 2, "genderId")
    request.validate(GENDER_ID, gender_id=number)
    request.store["genders"].remove(request.store.find("genders", number))
    return request.deleted(number)


@route(READ, "/countries")
def countries(request):
    return request.data_answer({code.lower(): country(code) for code in builtin.COUNTRIES})


@route(READ, "/currencies", public=True)
def currencies(request):
    rows = [{"id": number} for number in range(1, len(builtin.CURRENCIES) + 1)]
    return page(request, "currencies", rows, lambda row: currency(row["id"]), sortable=False, caught=False)


@route(READ, "/currencies/{id}", public=True)
def one_currency(request, identifier):
    number = values.key(identifier)
    if not 0 < number <= len(builtin.CURRENCIES):
        raise NotFound
    return request.data_answer(currency(number))


@route(READ, "/statistics", public=True)
def statistics(request):
    """Counts of the whole server, which are off until its operator wants them."""
    raise NotFound
