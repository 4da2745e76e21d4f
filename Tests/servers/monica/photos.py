"""/photos: pictures come as text in the answer, because their links want a session of the web."""

import base64
import binascii

from .answers import Invalid
from .api import route
from .contacts import CONTACT
from .records import listing, of_contact, show
from .store import new_uuid
from .validation import INTEGER, TEXT, Exists, required

PHOTO_ID = required("photo_id", INTEGER, Exists("photos"))

listing("/photos", "photos", "photo")


def photo_columns(mime_type, content, name="photo"):
    """The columns of a picture, given in base64."""
    kind, unique = mime_type.partition("/")[2], new_uuid()
    size = len(base64.b64decode(content, validate=True))
    return {
        "uuid": unique, "original_filename": f"{name}.{kind}", "new_filename": f"{unique}.{kind}", "filesize": size,
        "mime_type": mime_type, "content": content,
    }  # fmt: skip


@route("POST", "/photos")
def create(request):
    """Takes a picture as a data URL; uploads of forms are not understood here."""
    data, store = request.data, request.store
    request.validate(CONTACT, required("data", TEXT))
    contact = store.find_active(data["contact_id"])
    scheme, _, content = data["data"].partition(";base64,")
    try:
        columns = photo_columns(scheme.removeprefix("data:"), content)
    except binascii.Error:
        raise Invalid({"data": ["The data must be an image."]}) from None
    return request.created(request.show.photo(store["photos"].insert(contact_id=contact["id"], **columns)))


show("/photos/{id}", "photos", "photo")


@route("DELETE", "/photos/{id}")
def destroy(request, identifier):
    store = request.store
    number = request.integer(identifier, "Contact\\ApiPhotoController::destroy", 2, "photoId")
    request.validate(PHOTO_ID, photo_id=number)
    store["photos"].remove(store.find("photos", number))
    return request.deleted(number)


of_contact("/contacts/{id}/photos", "photos", "photo", caught=True)
