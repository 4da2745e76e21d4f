"""Contacts, and what is shown with them, as the API shows them. The order of the keys is Monica's."""

import datetime
import hashlib

from . import builtin, values
from .store import midnight

GROUPS = tuple(enumerate(builtin.RELATIONSHIP_GROUPS, 1))
ACCOUNT = {"id": 1}
EPOCH = datetime.datetime(1970, 1, 1)


def stamp(moment):
    return moment and moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def fine_stamp(moment):
    """With microseconds: how times look that Monica does not format itself."""
    return moment and moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def hash_id(identifier):
    return "h:" + hashlib.sha256(f"contact {identifier}".encode()).hexdigest()[:18]


def special_date(date):
    date = date or {"is_age_based": None, "is_year_unknown": None, "date": None}
    return {
        "is_age_based": date["is_age_based"],
        "is_year_unknown": date["is_year_unknown"],
        "date": stamp(midnight(date["date"])),
    }


def full_name(contact, dead):
    parts = [contact["first_name"], contact["middle_name"], contact["last_name"]]
    if contact["nickname"] is not None:
        parts.append(f"({contact['nickname']})")
    return " ".join(part for part in [*parts, "⚰" if dead else None] if part is not None).strip()


def country(code):
    if code is None:
        return None
    return {"id": code, "object": "country", "name": builtin.COUNTRIES.get(code.upper(), ""), "iso": code}


# What a search does not read of a contact.
LEFT_OUT_BY_SEARCH = {
    "is_active": False, "is_dead": False, "last_talked_to": None, "stay_in_touch_frequency": None,
    "stay_in_touch_trigger_date": None, "birthdate": None, "deceased_date": None, "job": None, "company": None,
    "food_preferences": None, "first_met_info": None, "first_met_date": None, "first_met_through": None,
}  # fmt: skip


class ContactResources:
    """What rows of a store look like on a server with a base URL."""

    def __init__(self, store, base_url):
        self.store, self.base_url = store, base_url

    def url(self, path):
        return f"{self.base_url}/api/{path}"

    def begin(self, row, kind):
        return {"id": row["id"], "uuid": row["uuid"], "object": kind}

    def end(self, row, *, url=None, contact=False):
        """What most resources end with."""
        tail = {"url": self.url(f"{url}/{row['id']}")} if url else {}
        tail["account"] = ACCOUNT
        if contact:
            tail["contact"] = self.short(row["contact_id"])
        return {**tail, **self.stamps(row)}

    def stamps(self, row):
        return {"created_at": stamp(row["created_at"]), "updated_at": stamp(row["updated_at"])}

    # Contacts.

    def avatar(self, contact):
        source, created = contact["avatar_source"], int((contact["created_at"] - EPOCH).total_seconds())
        if source == "gravatar":
            url = None
        elif source == "adorable":
            url = "data:image/png;base64,iVBORw0KGgo="
        elif source == "photo":
            url = self.photo_link(self.store["photos"].get(contact["avatar_photo_id"]))
        elif contact["has_avatar"]:
            url = f"{self.base_url}/store/avatars/{contact['uuid']}.jpg?{created}"
        else:
            url = ""  # an error ended the creation before the pictures were made
        return {"url": url, "source": source, "default_avatar_color": contact["color"]}

    def hash_of(self, contact):
        """A partial contact has the address of the one that it belongs to."""
        if not contact["is_partial"]:
            return hash_id(contact["id"])
        for relationship in self.store["relationships"].where("contact_is", contact["id"]):
            real = self.store.contact(relationship["of_contact"])
            return hash_id(real["id"]) if real else ""
        return ""

    def names(self, contact, dead):
        name = full_name(contact, dead)
        return {
            **self.begin(contact, "contact"),
            "hash_id": self.hash_of(contact),
            "first_name": contact["first_name"],
            "last_name": contact["last_name"],
            "nickname": contact["nickname"],
            "complete_name": name,
            "initials": values.initials(name),
        }

    def flags(self, contact, active, dead):
        gender = self.store["genders"].get(contact["gender_id"]) or {"name": None, "type": None}
        return {
            "gender": gender["name"],
            "gender_type": gender["type"],
            "is_starred": contact["is_starred"],
            "is_partial": contact["is_partial"],
            "is_active": active,
            "is_dead": dead,
            "is_me": contact["id"] == self.store.me,
        }

    def short(self, identifier):
        """The contact inside of another resource."""
        contact = self.store.contact(identifier)
        if contact is None:
            return None
        shown = {
            **self.names(contact, contact["is_dead"]),
            **self.flags(contact, contact["is_active"], contact["is_dead"]),
            "information": {
                "birthdate": special_date(contact["birthdate"]),
                "deceased_date": special_date(contact["deceased_date"]),
                "avatar": self.avatar(contact),
            },
        }
        if not contact["is_partial"]:
            shown["url"] = self.url(f"contacts/{contact['id']}")
        return {**shown, "account": ACCOUNT}

    def contact(self, contact, fields=False, searched=False):
        """The whole contact. A search does not read all columns, and shows the others as if they were empty."""
        row = {**contact, **LEFT_OUT_BY_SEARCH} if searched else contact
        names = self.names(contact, row["is_dead"])
        shown = {**names, "description": row["description"], **self.flags(contact, row["is_active"], row["is_dead"])}
        dates = {"birthdate": special_date(row["birthdate"]), "deceased_date": special_date(row["deceased_date"])}
        if contact["is_partial"]:
            shown["information"] = {"dates": dates}
        else:
            shown.update(self.last_contacts(row))
            shown["information"] = self.information(row, dates)
            shown.update(self.belongings(contact))
            if fields:
                shown["contactFields"] = [self.field(each) for each in self.of("contact_fields", contact)]
                newest = sorted(self.of("notes", contact), key=lambda note: note["created_at"], reverse=True)
                shown["notes"] = [self.note(note) for note in newest[:3]]
            shown["url"] = self.url(f"contacts/{contact['id']}")
        return {**shown, "account": ACCOUNT, **self.stamps(contact)}

    def of(self, table, contact):
        return self.store[table].where("contact_id", contact["id"])

    def last_contacts(self, row):
        together = max((activity["happened_at"] for activity in self.store.activities(row)), default=None)
        return {
            "last_called": fine_stamp(midnight(row["last_talked_to"])),
            "last_activity_together": fine_stamp(midnight(together)),
            "stay_in_touch_frequency": row["stay_in_touch_frequency"],
            "stay_in_touch_trigger_date": stamp(row["stay_in_touch_trigger_date"]),
        }

    def information(self, row, dates):
        return {
            "relationships": self.relationships_by_group(row),
            "dates": dates,
            "career": {"job": row["job"], "company": row["company"]},
            "avatar": self.avatar(row),
            "food_preferences": row["food_preferences"],
            "how_you_met": {
                "general_information": row["first_met_info"],
                "first_met_date": special_date(row["first_met_date"]),
                "first_met_through_contact": self.short(row["first_met_through"]),
            },
        }

    def relationships_by_group(self, row):
        groups = {number: [] for number, _ in GROUPS}
        for each in self.store["relationships"].where("contact_is", row["id"]):
            kind = self.store["relationship_types"].get(each["relationship_type_id"])
            shown = {"id": each["id"], "uuid": each["uuid"], "name": kind["name"]}
            groups[kind["relationship_type_group_id"]].append(
                {"relationship": shown, "contact": self.short(each["of_contact"])})  # fmt: skip
        return {name: {"total": len(groups[number]), "contacts": groups[number]} for number, name in GROUPS}

    def belongings(self, contact):
        counts = {name: len(self.of(name, contact)) for name in ("calls", "notes", "reminders", "tasks", "gifts", "debts")}
        counts["activities"] = len(self.store.activities(contact))
        counted = ("calls", "notes", "activities", "reminders", "tasks", "gifts", "debts")
        return {
            "addresses": [self.address(each) for each in self.of("addresses", contact)],
            "tags": [self.tag(tag) for number in contact["tags"] if (tag := self.store["tags"].get(number))],
            "statistics": {f"number_of_{name}": counts[name] for name in counted},
        }

    # What belongs to contacts.

    def field_type(self, row):
        return {
            **self.begin(row, "contactfieldtype"),
            "name": row["name"],
            "fontawesome_icon": row["fontawesome_icon"],
            "protocol": row["protocol"],
            "delible": bool(row["delible"]),
            "type": row["type"],
            **self.end(row),
        }

    def label(self, row):
        known = row["label_i18n"]
        shown = {"type": known, "label": builtin.LABELS[known]} if known else {"type": row["label"], "label": row["label"]}
        return {"id": row["id"], "object": "contactfieldlabel", **shown, **self.end(row)}

    def field(self, row):
        return {
            **self.begin(row, "contactfield"),
            "content": row["data"],
            "contact_field_type": self.field_type(self.store["contact_field_types"].get(row["contact_field_type_id"])),
            "labels": [self.label(self.store["contact_field_labels"].get(number)) for number in row["labels"]],
            **self.end(row, contact=True),
        }

    def address(self, row):
        place = ("name", "street", "city", "province", "postal_code", "latitude", "longitude")
        return {
            **self.begin(row, "address"),
            **{name: row[name] for name in place},
            "country": country(row["country"]),
            **self.end(row, url="addresses", contact=True),
        }

    def tag(self, row):
        return {"id": row["id"], "object": "tag", "name": row["name"], "name_slug": row["name_slug"], **self.end(row)}

    def photo_link(self, row):
        return row and f"{self.base_url}/store/photos/{row['new_filename']}"

    def photo(self, row):
        return {
            **self.begin(row, "photo"),
            "original_filename": row["original_filename"],
            "new_filename": row["new_filename"],
            "filesize": row["filesize"],
            "mime_type": row["mime_type"],
            "dataUrl": f"data:{row['mime_type']};base64,{row['content']}",
            "link": self.photo_link(row),
            **self.end(row, contact=True),
        }

    def note(self, row):
        return {
            **self.begin(row, "note"),
            "body": row["body"],
            "is_favorited": bool(row["is_favorited"]),
            "favorited_at": stamp(row["favorited_at"]),
            **self.end(row, url="notes", contact=True),
        }
