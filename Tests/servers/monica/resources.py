"""All other rows as the API shows them. The order of the keys is Monica's."""

from . import builtin
from .contact_resources import ACCOUNT, ContactResources, fine_stamp, stamp
from .store import midnight


def money(cents):
    """Amount, value, and amount with the currency: nothing is not shown as 0.00."""
    amount = f"{cents / 100:.2f}" if cents else None
    return {"amount": amount, "value": amount or "", "amount_with_currency": f"${cents / 100:,.2f}" if cents else ""}


def emotions(row):
    return [{"id": number, "object": "emotion", "name": builtin.EMOTIONS[number - 1]} for number in row["emotions"]]


def currency(number):
    iso, name, symbol = builtin.CURRENCIES[number - 1]
    return {"id": number, "object": "currency", "iso": iso, "name": name, "symbol": symbol}


class Resources(ContactResources):
    """What rows of a store look like on a server with a base URL."""

    def relationship_type(self, row):
        names = ("name", "name_reverse_relationship", "relationship_type_group_id", "delible")
        return {"id": row["id"], "object": "relationshiptype", **{name: row[name] for name in names}, **self.end(row)}

    def relationship_group(self, row):
        shown = {"name": row["name"], "delible": bool(row["delible"])}
        return {"id": row["id"], "object": "relationshiptypegroup", **shown, **self.end(row)}

    def relationship(self, row):
        return {
            **self.begin(row, "relationship"),
            "contact_is": self.short(row["contact_is"]),
            "relationship_type": self.relationship_type(self.store["relationship_types"].get(row["relationship_type_id"])),
            "of_contact": self.short(row["of_contact"]),
            **self.end(row, url="relationships"),
        }

    def activity_category(self, row):
        return row and {**self.begin(row, "activityTypeCategory"), "name": row["name"], **self.end(row)}

    def activity_type(self, row):
        return row and {
            **self.begin(row, "activityType"),
            "name": row["name"],
            "location_type": None,
            "activity_type_category": self.activity_category(
                self.store["activity_type_categories"].get(row["activity_type_category_id"])),
            **self.end(row),
        }  # fmt: skip

    def activity(self, row):
        present = [shown for identifier in row["contacts"] if (shown := self.short(identifier))]
        return {
            **self.begin(row, "activity"),
            "summary": row["summary"],
            "description": row["description"],
            "happened_at": str(row["happened_at"]),
            "activity_type": self.activity_type(self.store["activity_types"].get(row["activity_type_id"])),
            "attendees": {"total": len(present), "contacts": present},
            "emotions": emotions(row),
            **self.end(row, url="activities"),
        }

    def call(self, row):
        return {
            **self.begin(row, "call"),
            "called_at": stamp(row["called_at"]),
            "content": row["content"],
            "contact_called": row["contact_called"],
            "emotions": emotions(row),
            **self.end(row, url="calls", contact=True),
        }

    def message(self, row):
        head = {**self.begin(row, "message"), "content": row["content"]}
        written = {"written_at": stamp(row["written_at"]), "written_by_me": bool(row["written_by_me"])}
        ends = {"account": ACCOUNT, "contact": self.short(row["contact_id"]), "conversation": {"id": row["conversation_id"]}}
        return {**head, **written, **ends, **self.stamps(row)}

    def conversation(self, row):
        return {
            **self.begin(row, "conversation"),
            "happened_at": stamp(row["happened_at"]),
            "messages": [self.message(each) for each in self.store["messages"].where("conversation_id", row["id"])],
            "contact_field_type": self.field_type(self.store["contact_field_types"].get(row["contact_field_type_id"])),
            **self.end(row, url="conversations", contact=True),
        }

    def task(self, row):
        return {
            **self.begin(row, "task"),
            "title": row["title"],
            "description": row["description"],
            "completed": bool(row["completed"]),
            "completed_at": stamp(row["completed_at"]),
            **self.end(row, contact=True),
        }

    def gift(self, row):
        return {
            **self.begin(row, "gift"),
            "name": row["name"],
            "comment": row["comment"],
            "url": row["url"],
            **money(row["amount"]),
            "status": row["status"],
            "date": row["date"] and str(row["date"]),
            "recipient": self.short(row["recipient_id"]),
            "photos": [],
            "contact": self.short(row["contact_id"]),
            **self.end(row),
        }

    def debt(self, row):
        head = {**self.begin(row, "debt"), "in_debt": row["in_debt"], "status": row["status"]}
        return {**head, **money(row["amount"]), "reason": row["reason"], **self.end(row, contact=True)}

    def creation(self, contact):
        """The entry of a log about a contact that was made."""
        at = stamp(contact["created_at"])
        name = " ".join(filter(None, (contact["first_name"], contact["last_name"])))
        return {
            "id": contact["id"],
            "object": "auditlog",
            "author": {"id": 1, "name": "Test"},
            "action": "contact_created",
            "objects": {"contact_name": name, "contact_id": contact["id"]},
            "audited_at": at,
            "created_at": at,
            "updated_at": at,
        }

    def reminder(self, row):
        head = {**self.begin(row, "reminder"), **self.reminding(row)}
        return {**head, **self.end(row, contact=True)}

    def reminding(self, row):
        return {
            "title": row["title"],
            "description": row["description"],
            "frequency_type": row["frequency_type"],
            "frequency_number": row["frequency_number"],
            "initial_date": stamp(midnight(row["initial_date"])),
            "delible": bool(row["delible"]),
        }

    def occurrence(self, row, planned):
        """A reminder on a day. Its id is its own; that of the reminder has another name."""
        head = {"id": row["id"] * 3 + 1, "reminder_id": row["id"], "object": "reminder"}
        return {**head, "planned_date": fine_stamp(midnight(planned)), **self.reminding(row), **self.end(row, contact=True)}

    # The account.

    def gender(self, row):
        return {"id": row["id"], "object": "gender", "name": row["name"], "type": row["type"], **self.end(row)}

    def entry(self, row):
        shown = {"title": row["title"], "post": row["post"], "date": fine_stamp(row["created_at"])}
        return {**self.begin(row, "entry"), **shown, **self.end(row, url="journal")}

    def user(self):
        return {
            "id": 1,
            "uuid": "00000000-0000-4000-8000-000000000001",
            "object": "user",
            "first_name": "Ada",
            "last_name": "Admin",
            "name": "Ada Admin",
            "email": "a@example.test",
            "me_contact": self.short(self.store.me),
            "timezone": "America/Chicago",
            "currency": currency(2),
            "locale": "en",
            "is_policy_compliant": True,
            "account": ACCOUNT,
            "created_at": stamp(self.store.started),
            "updated_at": stamp(self.store.started),
        }
