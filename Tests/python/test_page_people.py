"""People on the family's pages, as a visitor meets them who knows nothing of Kith and has a browser without scripts."""
import datetime

import pytest

from servers import Monica
from visitor import Form, Visitor, person
from web import door

# What is entered for a new record, what is corrected, and which words a list then has.
KINDS = {
    "contact_field": ("People/{}Field", {"record.type": "phone", "record.data": "+44 20 7946 0958"}, {"record.data": "+44 20 7946 0000"},
                      "7946 0958", "7946 0000"),
    "address": ("People/{}Address", {"record.street": "1 High St", "record.city": "Bath"}, {"record.street": "2 Low St"},
                "1 High St", "2 Low St"),
    "reminder": ("People/{}Reminder", {"record.title": "Send a card", "record.initialDate": "2027-12-10", "record.frequency": "year"},
                 {"record.title": "Send a letter", "record.every": "2"}, "Send a card every year", "Send a letter every 2 years"),
    "note": ("Notes/{}", {"record.body": "Likes tea\nwithout milk"}, {"record.body": "Likes coffee", "record.isFavorite:bool": "true"},
             "Likes tea", "★ today Likes coffee"),
    "task": ("Tasks/{}", {"record.title": "Send photos", "record.description": "Of the garden"}, {"record.title": "Send books"},
             "Send photos Of the garden", "Send books"),
    "activity": ("Activities/{}", {"record.summary": "Walk", "record.happenedOn": "2026-01-05", "record.description": "By the river"},
                 {"record.summary": "Picnic"}, "Walk By the river", "Picnic By the river"),
    "gift": ("Gifts/{}", {"record.name": "Scarf", "record.amount": "12.50", "record.url": "https://example.org/scarf"},
             {"record.status": "offered"}, "Scarf (idea) · 12.5", "Scarf (given)"),
    "conversation": ("Conversations/{}", {"record.channel": "in person", "record.messages[0].content": "She sends the photos"},
                     {"record.channel": "email"}, "In person", "E-mail"),
    "relationship": ("Relationships/{}", {"record.type": "sibling"}, {"record.type": "cousin"}, "Sibling: Otto", "Cousin: Otto"),
}
# The kinds that the hub still has after their deletion.
KEPT = ["note", "task", "activity", "gift", "conversation", "relationship"]
LISTS = {"note": "Notes/List", "task": "Tasks/List", "activity": "Activities/List", "gift": "Gifts/List",
         "conversation": "Conversations/List", "relationship": "Relationships/List"}


@pytest.fixture(scope="module")
def front():
    with door() as front:
        front.hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko", "timeZone": "Asia/Tokyo"}})
        yield front


@pytest.fixture
def visitor(front, request):
    return Visitor(front.device(f"d{abs(hash(request.node.name)) % 10**8}"))


def method(kind, verb):
    """The method of a kind that creates, updates or deletes."""
    name = KINDS[kind][0]
    return name.format({"Create": "Add"}.get(verb, verb) if name.startswith("People") else verb)


def record_page(page, kind):
    """Where the first record of a kind is corrected."""
    return page.follow("Correct" if kind != "conversation" else "·", within=page.marked(kind)[0])


# MARK: - A person


def test_a_person_is_added_corrected_and_deleted():
    with door() as front:
        visitor = Visitor(front.device("hanako"))
        page = visitor.open("/people")
        assert "There are no people yet." in page.text
        page = page.send("People/Create", {"record.firstName": "Ingrid", "record.lastName": "Berg", "record.nickname": "Inga",
                                           "record.company": "Berg & Sons <Ltd>", "record.birthday": "--05-17"})
        row, = page.texts("person")
        assert row == "Ingrid Berg Inga · Berg & Sons <Ltd>"
        page = page.follow("Ingrid Berg")
        assert page.title == "Ingrid Berg" and "Birthday 17 May · birthday in " in page.text
        page = page.follow("Correct").send("People/Update", {"record.birthday": "1950-05-17", "record.company": "", "record.job": "Baker"})
        today = datetime.datetime.now(datetime.timezone(datetime.timedelta(hours=9)))
        age = today.year - 1950 - ((today.month, today.day) < (5, 17))
        assert f"Birthday 17 May 1950 · {age} years old" in page.text and "Job Baker" in page.text and "Berg & Sons" not in page.text
        address = page.path
        page = page.follow("Correct")
        assert "It cannot be brought back." in page.text
        page = page.send("People/Delete")
        assert page.path == "/people" and page.texts("person") == []
        page = visitor.open(address)
        assert "Deleted." in page.text and "/forms/" not in page.source


def test_what_is_wrong_is_said_and_nothing_is_stored(front, visitor):
    ann = person(front, "Ann")
    page = visitor.open(f"/records/person?id={ann}").send("People/Update", {"record.birthday": "2999-01-01"})
    assert page.status == 400 and "future" in page.text
    assert "birthday" not in front.hub.reply("People/Get", {"id": ann})["person"]
    for path in ("/records/person", "/records/nothing", f"/records/nothing?id={ann}", "/records/note?id=unknown", "/people/unknown"):
        assert visitor.open(path).status == 404, path


def test_a_correction_on_an_old_page_does_not_undo_a_newer_one(front, visitor):
    ann = person(front, "Ann")
    first = visitor.open(f"/records/person?id={ann}")
    second = visitor.open(f"/records/person?id={ann}")
    second.send("People/Update", {"record.job": "Baker"})
    page = first.send("People/Update", {"record.job": "Nurse"})
    assert page.status == 409 and front.hub.reply("People/Get", {"id": ann})["person"]["job"] == "Baker"


# MARK: - What belongs to a person


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_added_corrected_and_deleted(front, visitor, kind):
    ann, otto = person(front, "Ann"), person(front, "Otto")
    _, new, change, before, after = KINDS[kind]
    page = visitor.open(f"/people/{ann}")
    if kind == "relationship":
        assert "No relationships" in page.text and page.marked("relations") == []
        page, new = page.follow("Add a relationship"), {**new, "record.otherId": otto}
    page = page.send(method(kind, "Create"), new)
    assert before in page.texts(kind)[0], page.texts(kind)
    page = visitor.open(f"/people/{ann}")
    assert len(page.texts(kind)) == 1 and before in page.texts(kind)[0], "it is on the page of the person, too"
    correction = record_page(page, kind)
    # What is written elsewhere stays as it is.
    page = correction.send(method(kind, "Update"), change)
    assert after in page.text and page.status == 200, page.text
    page = visitor.open(f"/people/{ann}")
    assert after in page.texts(kind)[0] and before not in page.texts(kind)[0]
    correction = record_page(page, kind)
    if kind not in KEPT:
        assert "It cannot be brought back." in correction.text
        page = correction.send(method(kind, "Delete"))
        assert page.path == f"/people/{ann}" and page.texts(kind) == []
        return
    old, = front.hub.reply(LISTS[kind], {"personId": ann}).popitem()[1]
    page = correction.send(method(kind, "Delete"))
    assert "Deleted." in page.text and page.forms(method(kind, "Update")) == []
    assert visitor.open(f"/people/{ann}").texts(kind) == []
    page = page.send(method(kind, "Create"))
    assert page.path == f"/people/{ann}" and after in page.texts(kind)[0]
    new, = front.hub.reply(LISTS[kind], {"personId": ann}).popitem()[1]
    own = {"id", "createdAt", "updatedAt", "syncState"}
    for record in (old, new):
        for message in record.get("messages", []):
            del message["id"]
    assert {name: value for name, value in new.items() if name not in own} == {
        name: value for name, value in old.items() if name not in own}


def test_a_record_is_made_once_however_often_its_form_is_sent(front, visitor):
    ann = person(front, "Ann")
    page = visitor.open(f"/people/{ann}")
    for _ in range(2):
        page.send("Notes/Create", {"record.body": "Likes tea"})
    assert len(front.hub.reply("Notes/List", {"personId": ann})["notes"]) == 1


def test_ways_lead_to_phone_mail_map_and_web(front, visitor):
    ann = person(front, "Ann")
    ways = {"phone": "+81 3-1234-5678", "email": "ann@example.org", "web": "https://example.org/ann", "Telegram": "annlee"}
    for kind, data in ways.items():
        front.hub.reply("People/AddField", {"record": {"personId": ann, "type": kind, "data": data, "labels": ["home"]}})
    front.hub.reply("People/AddAddress", {"record": {"personId": ann, "street": "1 High St", "city": "Bath", "country": "GB"}})
    page = visitor.open(f"/people/{ann}")
    links = dict(page.main.links())
    assert links["+81 3-1234-5678"] == "tel:+81312345678" and links["ann@example.org"] == "mailto:ann@example.org"
    assert links["https://example.org/ann"] == "https://example.org/ann" and "annlee" not in links
    assert links["1 High St, Bath, GB"] == "https://www.openstreetmap.org/search?query=1%20High%20St%2C%20Bath%2C%20GB"
    assert links["Call"] == "tel:+81312345678" and any("Telegram: annlee (home)" in line for line in page.texts("contact_field"))
    japanese = Visitor(front.device("jiro"), language="ja").open(f"/people/{ann}")
    assert any("annlee (自宅)" in line for line in japanese.texts("contact_field"))


def test_open_tasks_and_favourite_notes_and_new_activities_come_first(front, visitor):
    ann = person(front, "Ann")
    for title in ("one", "two"):
        front.hub.reply("Tasks/Create", {"record": {"personId": ann, "title": title}})
    for number, star in enumerate((True, False)):
        front.hub.reply("Notes/Create", {"record": {"personId": ann, "body": f"note {number}", "isFavorite": star}})
    today = datetime.datetime.now(datetime.timezone(datetime.timedelta(hours=9))).date()
    for days in (400, 3, 40):
        day = str(today - datetime.timedelta(days=days))
        front.hub.reply("Activities/Create", {"record": {"personId": ann, "summary": f"{days} days", "happenedOn": day}})
    page = visitor.open(f"/people/{ann}")
    first = page.texts("task")[0].split()[1]
    page = page.send("Tasks/Update")
    assert [line.split()[1] for line in page.texts("task")] == [{"one": "two", "two": "one"}[first], first]
    assert page.texts("task")[1].startswith("✓") and len(page.forms("Tasks/Update")) == 1
    assert ["note 0" in line for line in page.texts("note")] == [True, False]
    activities = page.texts("activity")
    assert [line.split(") ")[1].split(" days")[0] for line in activities] == ["3", "40", "400"]
    assert "(3 days ago)" in activities[0] and "(5 weeks ago)" in activities[1] and "(13 months ago)" in activities[2]


def test_long_lists_are_short_on_the_page_of_a_person_and_whole_behind_it(front, visitor):
    ann = person(front, "Ann")
    for number in range(57):
        front.hub.reply("Notes/Create", {"record": {"personId": ann, "body": f"note {number:02}."}})
    page = visitor.open(f"/people/{ann}")
    assert len(page.texts("note")) == 5 and "note 56." in page.texts("note")[0]
    all_of_it = next(node for node in page.main.all("section") if "Notes" in node.text.split()[:1])
    page = page.follow("Show all", within=all_of_it)
    assert page.title == "Notes – Ann"
    lines = page.texts("note")
    page = page.follow("More")
    lines += page.texts("note")
    assert [f"note {number:02}." in line for number, line in zip(reversed(range(57)), lines)] == [True] * 57 and len(lines) == 57
    assert "More" not in [words for words, _ in page.main.links()]


# MARK: - Relations


def test_relations_can_be_walked_as_a_picture_and_as_a_list(front, visitor):
    ann, bob, eve = (person(front, name) for name in ("Ann", "Bob <b>", "Eve"))
    front.hub.reply("Relationships/Create", {"record": {"personId": ann, "otherId": bob, "type": "parent"}})
    front.hub.reply("Relationships/Create", {"record": {"personId": bob, "otherId": eve, "type": "sibling"}})
    page = visitor.open(f"/people/{ann}")
    picture, = page.marked("relations")
    around = [(link.attributes["href"], link.text) for link in picture.all("a")]
    assert [address for address, _ in around] == [f"/people/{bob}"] and "Parent" in around[0][1]
    assert [node.links()[0] for node in page.marked("relationship")] == [("Bob <b>", f"/people/{bob}")]
    page = visitor.open(around[0][0])
    assert page.title == "Bob <b>"
    picture, = page.marked("relations")
    assert {link.attributes["href"] for link in picture.all("a")} == {f"/people/{ann}", f"/people/{eve}"}
    # Those who hear the page hear the list; the picture says the same.
    assert picture.attributes["aria-hidden"] == "true" and all(link.attributes["tabindex"] == "-1" for link in picture.all("a"))
    assert {node.links()[0][1] for node in page.marked("relationship")} == {f"/people/{ann}", f"/people/{eve}"}


def test_the_other_person_is_found_in_a_large_household():
    with door() as front:
        ann = person(front, "Ann")
        for number in range(200):
            person(front, f"Relative {number:03}")
        zoe = person(front, "Zoe", lastName="Zander")
        visitor = Visitor(front.device("hanako"))
        page = visitor.open(f"/records/relationship?person={ann}")
        with pytest.raises(AssertionError, match="offers"):
            page.send("Relationships/Create", {"record.otherId": zoe, "record.type": "friend"})
        page = page.search("/records/relationship", text="zander")
        page = page.send("Relationships/Create", {"record.otherId": zoe, "record.type": "friend"})
        assert page.texts("relationship") == ["Friend: Zoe Zander Correct"]
        page = visitor.open(f"/records/relationship?person={ann}&text=qqqqqq")
        assert "No contacts found." in page.text and page.forms("Relationships/Create") == []


# MARK: - Tags


def test_tags_are_added_followed_renamed_and_removed(front, visitor):
    ann, _ = person(front, "Ann-Kathrin"), person(front, "Bob-Peter")
    page = visitor.open(f"/people/{ann}")
    assert "No tags" in page.text
    page = page.send("Tags/Assign", {"add[]": "choir & band"})
    assert page.texts("tag") == ["choir & band"]
    page = page.follow("choir & band")
    assert page.path == "/people?tag=choir%20%26%20band" and [line.split()[0] for line in page.texts("person")] == ["Ann-Kathrin"]
    assert page.follow("All").path == "/people"
    page = page.follow("Rename or delete this tag").send("Tags/Update", {"record.name": "choir"})
    assert visitor.open(f"/people/{ann}").texts("tag") == ["choir"]
    page = visitor.open(f"/people/{ann}").send("Tags/Assign", having={"remove[]": "choir"})
    assert "No tags" in page.text
    page = visitor.open("/people?tag=choir")
    assert "No contacts found." in page.text and page.texts("person") == []
    page = page.follow("Rename or delete this tag")
    assert "The tag is taken from everybody who has it." in page.text
    assert "choir" not in page.send("Tags/Delete").texts("tag")


def test_people_are_searched_and_show_their_last_contact(front, visitor):
    ann = person(front, "Annemarie", company="Harbour Light")
    front.hub.reply("Calls/Log", {"record": {"personId": ann, "calledAt": (
        datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=4)).isoformat().replace("+00:00", "Z")}})
    page = visitor.open("/people").search("/people", text="harbour")
    assert page.texts("person") == ["Annemarie Harbour Light Last contact: 4 days ago"]
    page = page.search("/people", text="qqqqqqq")
    assert "No contacts found." in page.text and page.texts("person") == []


# MARK: - Conversations


def test_a_conversation_is_logged_read_and_corrected(front, visitor):
    ann = person(front, "Ann")
    page = visitor.open("/people").follow("Conversations")
    assert page.path == "/records/conversation"
    with pytest.raises(AssertionError, match="is required"):
        page.send("Conversations/Create", {"record.channel": "text"})
    # Ten thousand signs of Japanese are ninety thousand bytes in a form.
    long = "今日は庭を歩いた。" * 1111
    page = page.send("Conversations/Create", {"record.personId": ann, "record.channel": "text", "record.messages[0].content": long,
                                              "record.happenedAt:time": "2026-11-20T08:10"})
    line, = [node for node in page.marked("conversation") if "今日は庭を歩いた。" in node.text]
    assert line.text.startswith("Ann Fri, 20 Nov 08:10 · Text message 今日は庭を歩いた。")
    talk, = front.hub.reply("Conversations/List", {"personId": ann})["conversations"]
    assert talk["happenedAt"] == "2026-11-19T23:10:00Z" and talk["messages"][0]["content"] == long
    page = page.follow("·", within=line)
    page = page.send("Conversations/AddMessage", {"message.content": "Thank you", "message.writtenByMe:bool": "true"})
    assert [line.split()[0] for line in page.texts("message")] == ["Ann", "Family"]
    page = page.send("Conversations/UpdateMessage", {"message.content": "It rained"})
    assert "It rained" in page.texts("message")[0] and "庭" not in page.text
    page = page.send("Conversations/DeleteMessage")
    assert len(page.texts("message")) == 1 and "Thank you" in page.text
    # Without a time it is that of the page.
    page = visitor.open(f"/people/{ann}").send("Conversations/Create", {"record.channel": "other"})
    newest = front.hub.reply("Conversations/List", {"personId": ann})["conversations"][0]
    said = datetime.datetime.fromisoformat(newest["happenedAt"])
    assert abs(datetime.datetime.now(datetime.UTC) - said) < datetime.timedelta(seconds=60)
    assert page.texts("conversation")[0].startswith("today ") and "· Other" in page.texts("conversation")[0]


def test_two_people_correct_a_message(front, visitor):
    ann = person(front, "Ann")
    talk = front.hub.reply("Conversations/Create", {"record": {
        "personId": ann, "channel": "text", "happenedAt": "2026-11-20T08:10:00Z", "messages": [{"content": "Lunch at ten"}]}})
    page = visitor.open(f"/records/conversation?person={ann}&id={talk['id']}")
    front.hub.reply("Conversations/UpdateMessage", {
        "conversationId": talk["id"], "message": {"id": talk["messages"][0]["id"], "content": "Lunch at noon, with Bob"}})
    refused = page.send("Conversations/UpdateMessage", {"message.content": "Lunch at one"})
    assert refused.status == 409 and "was changed since it was shown" in refused.source
    page = visitor.open(page.path)
    assert "Lunch at noon, with Bob" in page.texts("message")[0]
    page = page.send("Conversations/UpdateMessage", {"message.content": "Lunch at one, with Bob"})
    assert "Lunch at one, with Bob" in page.texts("message")[0]


# MARK: - Whoever reads


def test_a_viewer_reads_everything_and_changes_nothing(front, visitor):
    ann, bob = person(front, "Ann", tags=["family"]), person(front, "Bob")
    page = visitor.open(f"/people/{ann}")
    for kind, (_, new, *_) in KINDS.items():
        source = page.follow("Add a relationship") if kind == "relationship" else page
        source.send(method(kind, "Create"), {**new, "record.otherId": bob} if kind == "relationship" else new)
    viewer = Visitor(front.device("grandpa", "viewer"))
    page = viewer.open(f"/people/{ann}")
    for kind, (*_, before, _) in KINDS.items():
        assert before.replace("Otto", "Bob") in page.texts(kind)[0]
    talk = page.marked("conversation")[0].links()[0][1]
    for path in ["/people", page.path, f"/records/note?person={ann}", "/records/conversation", talk]:
        opened = viewer.open(path)
        assert opened.status == 200 and "/forms/" not in opened.source and "Correct" not in opened.text, path


def test_each_page_is_in_both_languages_and_each_field_has_a_label(front, visitor):
    ann = person(front, "アン", tags=["家族"])
    person(front, "オットー")
    paths = ["/people", f"/people/{ann}", f"/records/person?id={ann}", *(f"/records/{kind}?person={ann}" for kind in KINDS),
             *(f"/records/{kind}" for kind in ("conversation", "task", "activity", "gift", "note"))]
    labels = {}
    for language in ("en", "ja"):
        reader = Visitor(visitor.device, language)
        for path in paths:
            page = reader.open(path)
            assert page.status == 200 and f'lang="{language}"' in page.source, (path, page.text)
            forms = [Form(node) for node in page.main.all("form")]
            shown = [field for form in forms for field in form.fields if field.attributes.get("type") != "hidden"]
            labels[path, language] = [label for form in forms for label in form.labels]
            assert len(shown) == len(labels[path, language]) > 0 and all(labels[path, language]), path
    for path in paths:
        both = zip(labels[path, "en"], labels[path, "ja"], strict=True)
        assert all(english != japanese for english, japanese in both), labels[path, "ja"]


def test_what_people_write_is_never_part_of_the_page_itself(front, visitor):
    evil = '"><script>alert(1)</script>\'&amp;'
    ann = person(front, evil, nickname=evil, tags=[evil[:40]])
    bob = person(front, "Bob " + evil)
    front.hub.reply("Relationships/Create", {"record": {"personId": ann, "otherId": bob, "type": evil}})
    front.hub.reply("People/AddField", {"record": {"personId": ann, "type": evil, "data": evil}})
    front.hub.reply("Gifts/Create", {"record": {"personId": ann, "name": evil, "status": "idea", "url": "javascript:alert(1)"}})
    paths = ["/people", f"/people/{ann}", f"/people/{bob}", f"/records/person?id={ann}", f"/records/gift?person={ann}", "/records/gift"]
    for path in paths:
        page = visitor.open(path)
        assert page.status == 200 and "<script>alert" not in page.source, path
        assert not any(address.startswith("javascript") for _, address in page.main.links())
    assert evil in visitor.open(f"/people/{ann}").title


def test_names_of_the_server_are_offered_where_there_is_one():
    server = Monica.double(rate_limit=0, contacts=0)
    try:
        with door() as front:
            front.hub.reply("Monica/Login", {"endpoint": server.url, "token": server.token})
            front.hub.reply("Monica/Sync", {})
            ann, bob = person(front, "Ann"), person(front, "Bob")
            page = Visitor(front.device("hanako")).open(f"/records/relationship?person={ann}")
            form, = page.forms("Relationships/Create")
            types, = [field for field in form.fields if field.attributes["name"] == "record.type"]
            offered = [option.attributes["value"] for option in types.all("option")]
            known = {entry["name"] for entry in front.hub.reply("Monica/Catalog", {"catalog": "relationship_type"})["entries"]}
            assert len(known) > 10 and set(offered) == known
            page = page.send("Relationships/Create", {"record.otherId": bob, "record.type": "parent"})
            page = page.follow("Bob", within=page.marked("relationship")[0])
            line, = page.texts("relationship")
            assert line.startswith("Child: Ann"), line
    finally:
        server.remove()
