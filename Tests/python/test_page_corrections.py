"""A form in which somebody writes on after the press, and corrections that are made on top of one another."""
from browser import browser  # noqa: F401 - a fixture
from keyed import eventually
from pages import SLOW, drained, waiting
from test_page_people_phone import correct, messages, talk_of
from test_page_photos import calls, choose, front, phone, picture, unfold  # noqa: F401 - two are fixtures
from visitor import person


def written(front, phone):
    """The id of an entry whose page is open."""
    entry = front.hub.reply("Care/Record", {"category": "meal", "memo": "soup"})["record"]["id"]
    phone.open(f"{front.url}/entries/{entry}")
    return entry


def change(phone, memo=None, category=None):
    """Corrects the entry whose page is open."""
    form, before = phone.page.locator("form[action$='Care/Update']"), phone.page.locator("#waiting li").count()
    if memo:
        form.locator("[data-test=memo]").fill(memo)
    if category:
        form.locator("select").select_option(category)
    form.locator("[data-test=save]").click()
    phone.until(f"document.querySelectorAll('#waiting li').length === {before + 1}")


def test_a_form_in_which_somebody_writes_on_while_it_is_kept_stays_under_their_hands(front, phone):
    ingrid = person(front, "Ingrid")
    unfold(phone, front, ingrid)
    phone.read(SLOW, "queue")
    memo = phone.page.locator("details:has([data-test=log]) [data-test=memo]")
    memo.fill("Talked about the garden")
    phone.page.click("[data-test=log]")
    memo.press_sequentially(", and")
    phone.read("window.kept = true")
    assert eventually(lambda: calls(front, ingrid))
    phone.page.keyboard.type(" she fell")
    assert memo.is_visible() and memo.input_value() == "Talked about the garden, and she fell"


def test_a_picture_that_is_chosen_after_the_press_stays_in_the_form(front, phone):
    ingrid = person(front, "Ingrid")
    unfold(phone, front, ingrid)
    phone.read(SLOW, "queue")
    choose(phone, picture(phone, 640, 480))
    phone.page.click("[data-test=log]")
    choose(phone, picture(phone, 480, 640))
    phone.until("document.querySelectorAll('.chosen img').length === 2")
    phone.read("window.kept = true")
    assert eventually(lambda: calls(front, ingrid))
    phone.until("document.querySelectorAll('.chosen img').length === 1")
    phone.page.click("[data-test=log]")
    assert eventually(lambda: len(calls(front, ingrid)) == 2)
    sent = [attachment["sha256"] for call in calls(front, ingrid) for attachment in call["attachments"]]
    assert len(sent) == len(set(sent)) == 2


def test_somebody_who_writes_in_another_form_meanwhile_keeps_the_focus(front, phone):
    ingrid = person(front, "Ingrid")
    unfold(phone, front, ingrid)
    phone.read(SLOW, "queue")
    phone.page.locator("details:has([data-test=log]) [data-test=memo]").fill("Talked about the garden")
    phone.page.click("[data-test=log]")
    phone.page.locator("details:has(> form[action$='Notes/Create']) > summary").click()
    note = phone.page.locator("form[action$='Notes/Create'] textarea").first
    note.press_sequentially("Likes")
    phone.read("window.kept = true")
    assert eventually(lambda: calls(front, ingrid))
    phone.page.keyboard.type(" tea")
    assert note.is_visible() and note.input_value() == "Likes tea"


def test_a_message_that_is_corrected_further_while_its_correction_is_kept_is_not_refused(front, phone):
    talk, address = talk_of(front, "Lunch at ten")
    phone.open(address)
    phone.read(SLOW, "queue")
    correct(phone, 0, "Lunch at one")
    phone.page.locator("[data-test=message] textarea").press_sequentially(" at the station")
    phone.read("window.kept = true")
    assert eventually(lambda: messages(front, talk) == ["Lunch at one"])
    phone.page.click("form[action$=UpdateMessage] button")
    assert eventually(lambda: messages(front, talk) == ["Lunch at one at the station"])


def test_two_corrections_of_a_record_on_one_page_wait_for_the_network_and_both_count(front, phone):
    entry = written(front, phone)
    phone.offline()
    change(phone, memo="soup and bread")
    change(phone, category="medication")
    phone.offline(False)
    drained(phone)
    record = front.hub.reply("Care/Get", {"id": entry})["record"]
    assert (record["memo"], record["category"]) == ("soup and bread", "medication")


def test_what_another_person_changes_between_two_corrections_is_not_overwritten(front, phone):
    entry = written(front, phone)

    def after_the_first(route):
        if "tea" in route.request.post_data:
            front.hub.reply("Care/Update", {"record": {"id": entry, "memo": "soup; she choked"}, "fields": ["memo"]})
        route.continue_()

    phone.page.route("**/kith.v1.Care/Update", after_the_first)
    phone.offline()
    change(phone, memo="soup and bread")
    change(phone, memo="soup, bread and tea")
    phone.offline(False)
    phone.until("document.querySelector('#waiting strong') !== null")
    assert phone.page.locator("#waiting li").count() == 1 and "bread and tea" in waiting(phone)
    assert front.hub.reply("Care/Get", {"id": entry})["record"]["memo"] == "soup; she choked"


def test_a_record_that_is_corrected_further_while_its_correction_is_kept_is_not_refused(front, phone):
    entry = written(front, phone)
    phone.read(SLOW, "queue")
    memo = phone.page.locator("form[action$='Care/Update'] [data-test=memo]")
    memo.fill("soup and bread")
    phone.page.click("form[action$='Care/Update'] [data-test=save]")
    memo.press_sequentially(" and tea")
    phone.read("window.kept = true")
    assert eventually(lambda: front.hub.reply("Care/Get", {"id": entry})["record"]["memo"] == "soup and bread")
    drained(phone)
    phone.page.click("form[action$='Care/Update'] [data-test=save]")
    assert eventually(lambda: front.hub.reply("Care/Get", {"id": entry})["record"]["memo"] == "soup and bread and tea")
