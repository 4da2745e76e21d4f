"""/notes, /tasks and /journal: texts."""

from . import values
from .answers import NotFound, Uncaught
from .api import WRITE, route
from .records import listing, of_contact, show
from .store import new_uuid
from .validation import BOOLEAN, INTEGER, LINE, TEXT, AtMost, Exists, Field, optional, required

NOTE = [required("body", AtMost(100_000)), required("contact_id", INTEGER), Field("is_favorited", BOOLEAN)]
TASK_ID = required("task_id", INTEGER, Exists("tasks"))
TITLE = required("title", TEXT)
DESCRIPTION = optional("description", TEXT)
OWNER = optional("contact_id", INTEGER)
ENTRY = [required("title", LINE), required("post", AtMost(1_000_000))]

listing("/notes", "notes", "note", first="-created_at")


def favored(request):
    """(whether a note is a favourite, since when)"""
    favorite = values.is_true(request.data.get("is_favorited"))
    return favorite, request.store.clock.now() if favorite else None


@route("POST", "/notes")
def create_note(request):
    data, store = request.data, request.store
    request.validate(*NOTE)
    contact = store.find_contact(data["contact_id"])
    if values.is_list(data["body"]):
        raise Uncaught("Array to string conversion")
    favorite, since = favored(request)
    row = store["notes"].insert(
        uuid=new_uuid(), contact_id=contact["id"], body=str(data["body"]), is_favorited=favorite,
        favorited_at=since)  # fmt: skip
    return request.created(request.show.note(row))


show("/notes/{id}", "notes", "note")


@route(WRITE, "/notes/{id}")
def update_note(request, identifier):
    data, store = request.data, request.store
    row = store.find("notes", identifier)
    request.validate(*NOTE)
    contact, before = store.find_contact(data["contact_id"]), row["contact_id"]
    favorite, since = favored(request)
    told = {"is_favorited": favorite} if data.get("is_favorited") is not None else {}
    store["notes"].change(row, body=data["body"], contact_id=contact["id"], favorited_at=since, **told)
    # The answer still has the contact that was read with the note.
    return request.data_answer({**request.show.note(row), "contact": request.show.short(before)})


@route("DELETE", "/notes/{id}")
def destroy_note(request, identifier):
    return remove(request, "notes", identifier)


def remove(request, table, identifier):
    row = request.store.find(table, identifier)
    request.store[table].remove(row)
    return request.deleted(row["id"])


of_contact("/contacts/{id}/notes", "notes", "note")


listing("/tasks", "tasks", "task")


@route("POST", "/tasks")
def create_task(request):
    data, store = request.data, request.store
    request.validate(OWNER, TITLE, DESCRIPTION)
    owner = store.find_contact(data["contact_id"])["id"] if values.is_true(data.get("contact_id")) else None
    row = store["tasks"].insert(
        uuid=None, contact_id=owner, title=data["title"][:255], description=data.get("description"), completed=False,
        completed_at=None)  # fmt: skip
    return request.data_answer(request.show.task(row))


show("/tasks/{id}", "tasks", "task")


@route(WRITE, "/tasks/{id}")
def update_task(request, identifier):
    data, store = request.data, request.store
    request.validate(OWNER, TASK_ID, TITLE, DESCRIPTION, required("completed", BOOLEAN), task_id=identifier)
    row = store.find("tasks", identifier)
    if values.is_true(data.get("contact_id")) and row["contact_id"] != values.key(data["contact_id"]):
        raise NotFound
    done = values.is_true(data["completed"])
    description = data.get("description") if values.is_true(data.get("description")) else None
    completed_at = store.clock.now() if done else None
    store["tasks"].change(
        row, title=data["title"][:255], description=description, completed=done, completed_at=completed_at)  # fmt: skip
    return request.data_answer(request.show.task(row))


@route("DELETE", "/tasks/{id}")
def destroy_task(request, identifier):
    request.validate(required("task_id", INTEGER), task_id=identifier)
    request.store["tasks"].remove(request.store.find("tasks", identifier))
    return request.deleted(identifier)


of_contact("/contacts/{id}/tasks", "tasks", "task")


listing("/journal", "entries", "entry")


@route("POST", "/journal")
def create_entry(request):
    request.validate(*ENTRY)
    row = request.store["entries"].insert(uuid=new_uuid(), title=request.data["title"], post=request.data["post"])
    return request.created(request.show.entry(row))


show("/journal/{id}", "entries", "entry")


@route(WRITE, "/journal/{id}")
def update_entry(request, identifier):
    row = request.store.find("entries", identifier)
    request.validate(*ENTRY)
    request.store["entries"].change(row, title=request.data["title"], post=request.data["post"])
    return request.data_answer(request.show.entry(row))


@route("DELETE", "/journal/{id}")
def destroy_entry(request, identifier):
    return remove(request, "entries", identifier)
