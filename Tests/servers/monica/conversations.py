"""/conversations and their messages."""

from . import values
from .answers import NotFound
from .api import WRITE, route
from .contacts import CONTACT
from .records import listing, of_contact, show
from .store import own_uuid
from .validation import BOOLEAN, INTEGER, MOMENT, TEXT, Exists, required

HAPPENED = required("happened_at", MOMENT)
CHANNEL = required("contact_field_type_id", INTEGER, Exists("contact_field_types"))
CONVERSATION_ID = required("conversation_id", INTEGER, Exists("conversations"))
MESSAGE = [required("written_at", MOMENT), required("written_by_me", BOOLEAN), required("content", TEXT)]

listing("/conversations", "conversations", "conversation")


@route("POST", "/conversations")
def create(request):
    """Takes a time and a channel. It has no text of its own: that is in messages."""
    data, store = request.data, request.store
    request.validate(HAPPENED, CONTACT, CHANNEL)
    contact = store.find_active(data["contact_id"])
    row = store["conversations"].insert(
        uuid=own_uuid(data),
        contact_id=contact["id"],
        contact_field_type_id=int(data["contact_field_type_id"]),
        happened_at=values.moment(data["happened_at"]),
    )
    row["created_at"] = values.moment(data.get("created_at")) or row["created_at"]
    return request.created(request.show.conversation(row))


show("/conversations/{id}", "conversations", "conversation")


@route(WRITE, "/conversations/{id}")
def update(request, identifier):
    data, store = request.data, request.store
    channel = required("contact_field_type_id", INTEGER)
    request.validate(HAPPENED, channel, CONVERSATION_ID, conversation_id=identifier)
    row = store.find("conversations", identifier)
    store.require_active(store.contact(row["contact_id"]))
    kind = store.find("contact_field_types", data["contact_field_type_id"])
    store["conversations"].change(row, happened_at=values.moment(data["happened_at"]), contact_field_type_id=kind["id"])
    return request.data_answer(request.show.conversation(row))


@route("DELETE", "/conversations/{id}")
def destroy(request, identifier):
    store = request.store
    number = request.integer(identifier, "Contact\\ApiConversationController::destroy", 2, "conversationId")
    request.validate(CONVERSATION_ID, conversation_id=number)
    row = store.find("conversations", number)
    store.require_active(store.contact(row["contact_id"]))
    for message in store["messages"].where("conversation_id", number):
        store["messages"].remove(message)
    store["conversations"].remove(row)
    return request.deleted(number)


# Messages are seen in their conversation, which is also what writing one answers.


def written(data):
    return {
        "content": data["content"],
        "written_at": values.moment(data["written_at"]),
        "written_by_me": values.is_true(data["written_by_me"]),
    }


def find(request, action, conversation, message=None):
    """(conversation, message), or not found. The message may be one of another conversation."""
    action = f"Contact\\ApiMessageController::{action}"
    number = request.integer(conversation, action, 2, "conversationId")
    if message is None:
        return request.store.find("conversations", number), None
    second = request.integer(message, action, 3, "messageId")
    return request.store.find("conversations", number), request.store.find("messages", second)


def require_inside(message, conversation):
    if message["conversation_id"] != conversation["id"]:
        raise NotFound


@route("POST", "/conversations/{id}/messages")
def create_message(request, identifier):
    store = request.store
    conversation, _ = find(request, "store", identifier)
    request.validate(*MESSAGE)
    contact = store.find_active(conversation["contact_id"])
    store["messages"].insert(
        uuid=own_uuid(request.data),
        contact_id=contact["id"],
        conversation_id=conversation["id"],
        **written(request.data),
    )
    return request.data_answer(request.show.conversation(conversation))


@route(WRITE, "/conversations/{id}/messages/{message}")
def update_message(request, identifier, message_identifier):
    store = request.store
    conversation, message = find(request, "update", identifier, message_identifier)
    request.validate(*MESSAGE)
    store.find_active(conversation["contact_id"])
    require_inside(message, conversation)
    store["messages"].change(message, **written(request.data))
    return request.data_answer(request.show.conversation(conversation))


@route("DELETE", "/conversations/{id}/messages/{message}")
def destroy_message(request, identifier, message_identifier):
    conversation, message = find(request, "destroy", identifier, message_identifier)
    require_inside(message, conversation)
    request.store.require_active(request.store.contact(message["contact_id"]))
    request.store["messages"].remove(message)
    return request.deleted(message["id"])


of_contact("/contacts/{id}/conversations", "conversations", "conversation", caught=True)
