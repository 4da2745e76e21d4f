"""An admin's settings and the queue of the server, by forms alone, with a Monica and the receivers of messages behind them."""
import re

import pytest

from channels import add
from keyed import eventually
from monica_home import deaf, hear, home
from visitor import hidden
from web import door


@pytest.fixture
def household(monica):
    with home(monica, login=False) as household:
        yield household


@pytest.fixture
def front(household):
    with door(hub=household.hub) as front:
        yield front


def send(device, path, action, language="en", **fields):
    page = device.ask("GET", path).text
    return device.ask("POST", f"/forms/{action}", data=[*hidden(page, action), *fields.items()], headers={"Accept-Language": language})


def discarded(admin):
    """Whether nothing waits; discards what does, unless it is on its way at this moment."""
    page = admin.ask("GET", "/queue").text
    if "Monica/ClearQueue" in page:
        admin.ask("POST", "/forms/kith.v1.Monica/ClearQueue", data=hidden(page, "kith.v1.Monica/ClearQueue"))
    return "Nothing waits." in page


def test_an_account_is_checked_used_and_left(household, front):
    admin = front.device("kitchen", "admin")
    refused = send(admin, "/settings", "kith.v1.Monica/Login", endpoint=household.monica.url, token="wrong")
    assert refused.status_code in (400, 401, 403) and "token" in refused.text and household.hub.reply("Monica/Status")["state"] == "none"
    refused = send(admin, "/settings", "kith.v1.Monica/Login", language="ja", endpoint=household.monica.url, token="wrong")
    assert 'role="alert">この API トークンは無効か、期限が切れています。<' in refused.text, refused.text
    page = send(admin, "/settings", "kith.v1.Monica/Login", endpoint=household.monica.url, token=household.monica.token).text
    shown = household.hub.reply("Monica/Status")["token"]
    assert household.monica.url in page and f"· {shown}" in page and household.monica.token not in shown, page[-3000:]
    assert "Clear what was read" in page
    household.settle()
    assert "Sync now" in admin.ask("GET", "/sync").text
    send(admin, "/settings", "kith.v1.Monica/ClearCache")
    page = send(admin, "/settings", "kith.v1.Monica/Logout").text
    assert "Log in" in page and household.hub.reply("Monica/Status")["state"] == "logged_out"
    recorder = front.device("hanako")
    assert "Monica/Login" not in recorder.ask("GET", "/settings").text


def test_what_the_server_refused_is_shown_tried_again_and_discarded(household, front):
    household.login()
    ann = household.person("Ann")["id"]
    household.settle()
    household.monica.faults(always=[{"status": 422, "match": {"method": "POST", "path": "^/api/notes"}}])
    household.hub.reply("Notes/Create", {"record": {"personId": ann, "body": "Likes tea."}})
    household.sync()
    admin = front.device("kitchen", "admin")
    page = admin.ask("GET", "/queue").text
    assert "Ann" in page and "Note" in page and 'class="mark"' in page, page
    assert "Monicaサーバーが受け付けませんでした" in admin.ask("GET", "/queue", headers={"Accept-Language": "ja"}).text
    household.monica.clear_faults()
    answer = send(admin, "/queue", "kith.v1.Monica/RetryQueue")
    assert answer.status_code == 200, answer.text
    household.settle()
    assert [note["body"] for note in household.monica.dump("notes")] == ["Likes tea."]
    assert "Nothing waits." in admin.ask("GET", "/queue").text
    deaf(household)
    household.hub.reply("Notes/Create", {"record": {"personId": ann, "body": "Never sent."}})
    assert eventually(lambda: discarded(admin))
    hear(household)
    household.settle()
    assert [note["body"] for note in household.monica.dump("notes")] == ["Likes tea."]


def test_the_queue_says_whom_somebody_has_to_correct_or_to_decide_on(household, front):
    household.login()
    ann = household.person("Ann")["id"]
    for number in range(12):
        household.hub.reply("Notes/Create", {"record": {"personId": ann, "body": f"note {number}"}})
    household.settle()
    household.monica.faults(always=[{"status": 422, "match": {"method": "POST", "path": "^/api/contacts"}}])
    ben = household.person("Ben")["id"]
    household.hub.reply("Notes/Create", {"record": {"personId": ben, "body": "Likes tea."}})
    household.sync()
    admin = front.device("kitchen", "admin")
    page = admin.ask("GET", "/queue").text
    assert f'<a href="/people/{ben}">The server refuses Ben. Correct that first.</a>' in page, page
    household.monica.clear_faults()
    send(admin, "/queue", "kith.v1.Monica/RetryQueue")
    household.settle()
    for table in ("notes", "contacts"):
        for row in household.monica.dump(table):
            household.monica.mutate({"op": "purge", "table": table, "id": row["id"]})
    household.sync(full=True)
    household.hub.reply("Notes/Create", {"record": {"personId": ann, "body": "since"}})
    household.sync()
    page = admin.ask("GET", "/queue", headers={"Accept-Language": "ja"}).text
    assert '<a href="/conflicts">サーバーにAnnがありません。先にそれを決めてください。</a>' in page, page


def test_a_channel_is_tried_and_a_backup_is_taken_away(household, front, services):
    add(household.hub, "phone", "ntfy", address=services.url, topic="family-care")
    admin = front.device("kitchen", "admin")
    assert send(admin, "/settings", "kith.v1.Channels/Test").status_code == 200
    assert services.seen[0]["line"] == "POST /family-care HTTP/1.1"
    page = send(admin, "/settings", "kith.v1.System/Backup").text
    file, name = re.search(r'href="(/blobs/[0-9a-f]{64}\?file=1)" download="(kith-[0-9-]+\.db)"', page).groups()
    assert admin.ask("GET", file).content.startswith(b"SQLite format 3\0")
    assert front.device("hanako").ask("GET", file).status_code in (403, 404)
    assert name


def test_who_is_cared_for_is_set(household, front):
    admin = front.device("kitchen", "admin")
    send(admin, "/settings", "kith.v1.Care/Configure", **{
        "settings.recipient": "Sato Yoshiko", "settings.honorific": "さん", "settings.language": "ja", "settings.timeZone": "Asia/Tokyo"})
    assert "Sato Yoshikoさん" in front.device("hanako").ask("GET", "/").text


def test_what_a_phone_is_refused_is_in_its_language(household, front):
    phone = front.device("hanako")
    command = {"record": {"firstName": ""}}
    english, japanese = (phone.ask("POST", "/kith.v1.People/Create", json=command, headers={"Accept-Language": language})
                         for language in ("en", "ja-JP, en;q=0.5"))
    assert english.json()["message"] == "first_name: must not be empty."
    assert japanese.json()["message"] == "first_name: 入力してください。" and "Accept-Language" in japanese.headers["vary"]
    assert japanese.json()["details"][0]["debug"] == english.json()["details"][0]["debug"]
    assert phone.ask("POST", "/kith.v1.People/Create", json=command).json()["message"] == english.json()["message"]
