"""The pages for everybody: axe-core finds nothing to fix, a phone of 320 px scrolls one way, and the keyboard alone does the work."""
import datetime
import itertools
import json
import pathlib
import time

import axe_playwright_python
import pytest

from browser import browser  # noqa: F401 - a fixture
from conftest import size
from pages import spoken
from web import door

AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# A narrow phone, and a usual one with text of twice the size.
SCREENS = [(320, "100%"), (390, "200%")]
# The first four have each screen with each language, and both in light and in dark.
LOOKS = [(*SCREENS[screen], ["en-GB", "ja-JP"][language], ["light", "dark"][dark])
         for screen, language, dark in sorted(itertools.product(range(2), repeat=3), key=lambda look: sum(look) % 2)][:size(4, 8)]


def remind(hub, person, title):
    """A reminder that is due; gives its id."""
    hub.reply("People/AddReminder", {"record": {
        "personId": person, "title": title, "initialDate": datetime.date.today().isoformat(), "frequency": "year", "every": 1}})
    end = time.monotonic() + 30
    while True:
        due = [each["id"] for each in hub.reply("Reminders/Status").get("due", []) if title in each["title"]]
        if due:
            return due[0]
        assert time.monotonic() < end, hub.reply("Reminders/Status")
        time.sleep(0.05)


@pytest.fixture(scope="module")
def front():
    with door() as front:
        hub = front.hub
        hub.reply("Care/Configure", {"settings": {"recipient": "佐藤 よし子", "timeZone": "Asia/Tokyo"}})
        for category, memo in [("meal", "おかゆ"), ("medication", "8時の薬"), ("free_memo", "A walk " + "and on " * 40), ("toileting", "")]:
            hub.reply("Care/Record", {"category": category, "memo": memo})
        person = hub.reply("People/Create", {"record": {"firstName": "Ingrid", "lastName": "Berg"}})["id"]
        front.call = hub.reply("Calls/Log", {"record": {
            "personId": person, "calledAt": "2026-11-20T08:10:00Z", "durationMinutes": 12, "note": "Birthday", "tags": ["family"]}})["id"]
        for method, record in {
                "Notes/Create": {"body": "Likes tea"}, "Tasks/Create": {"title": "Send photos"},
                "Gifts/Create": {"name": "Scarf", "status": "idea"}, "People/AddField": {"type": "Phone", "data": "+81 90 1234 5678"},
                "Activities/Create": {"summary": "Walk", "happenedOn": "2026-11-20"}}.items():
            hub.reply(method, {"record": {"personId": person, **record}})
        hub.reply("Reminders/Configure", {"settings": {"personTime": "00:00"}})
        remind(hub, person, "Send a card")
        front.entry = hub.reply("Care/List", {})["records"][0]["id"]
        front.person, front.cookies = person, None
        yield front


def device(front, browser, **options):
    """A screen of the one device that has joined: a door lets only a few join in a minute."""
    phone = browser.phone(**options)
    if front.cookies is None:
        phone.join(front, name="kitchen", role="admin")
        front.cookies = phone.context.cookies()
    phone.context.add_cookies(front.cookies)
    return phone


def addresses(front):
    """Every page, and those that say that something is not there."""
    return ["/", "/days", f"/entries/{front.entry}", "/summary", "/reminders", "/calls", f"/calls/{front.call}", "/people",
            f"/people/{front.person}", "/contacts", "/sync", "/conflicts", "/queue", "/settings", "/more", "/people/unknown", "/pair",
            "/files/offline.html"]


def show(phone, url, size="100%"):
    """Opens a page with text of a size."""
    phone.open(url)
    phone.read("(size) => { document.documentElement.style.fontSize = size; }", size)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("width,size,locale,scheme", LOOKS)
def test_axe_finds_no_barrier_on_any_page(front, browser, width, size, locale, scheme):
    phone = device(front, browser, width=width, locale=locale, color_scheme=scheme)
    found = {}
    for path in addresses(front):
        show(phone, front.url + path, size)
        phone.read(AXE)
        result = phone.read("(rules) => axe.run(document, { runOnly: rules, resultTypes: ['violations'] })", RULES)
        assert len(result["passes"]) > 10, path
        if result["violations"]:
            found[path] = [(rule["id"], rule["nodes"][0]["html"][:200], rule["nodes"][0]["failureSummary"])
                           for rule in result["violations"]]
    phone.close()
    assert not found, json.dumps(found, indent=1, ensure_ascii=False)


def test_axe_sees_a_barrier_that_is_there(front, browser):
    phone = device(front, browser)
    phone.open(front.url + "/")
    phone.read("document.querySelector('nav').append(document.createElement('button'))")
    phone.read(AXE)
    result = phone.read("(rules) => axe.run(document, { runOnly: rules })", RULES)
    phone.close()
    assert "button-name" in {rule["id"] for rule in result["violations"]}


@pytest.mark.parametrize("locale", ["en-GB", "ja-JP"])
@pytest.mark.parametrize("width,size", SCREENS)
def test_a_narrow_page_scrolls_one_way_and_can_be_tapped(front, browser, locale, width, size):
    phone = device(front, browser, width=width, height=640, locale=locale)
    for path in addresses(front):
        show(phone, front.url + path, size)
        wide = phone.read("""() => [...document.querySelectorAll('main *, nav *')].filter((node) => node.checkVisibility()
          && node.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map((node) => node.outerHTML.slice(0, 120))""")
        assert phone.read("document.scrollingElement.scrollWidth") <= width, (path, wide[:3])
        # A link within a text is as high as its line; axe looks at what is around it.
        small = phone.read("""() => [...document.querySelectorAll('a, button, summary, .choice, input:not([type=hidden]), select')]
          .filter((node) => node.checkVisibility() && !node.matches('.choice *') && getComputedStyle(node).display !== 'inline')
          .filter((node) => { const box = node.getBoundingClientRect(); return Math.min(box.width, box.height) < 24; })
          .map((node) => node.outerHTML.slice(0, 120))""")
        assert small == [], path
    phone.close()


def press_until(phone, selector, most=80):
    """Goes on by the Tab key until an element has the focus; each stop on the way is seen, and shows that it has the focus."""
    for _ in range(most):
        phone.page.keyboard.press("Tab")
        # Links of the browser's own are between the last element and the first one.
        stop = phone.read("""() => { const node = document.activeElement; if (node === document.body) return null;
          const box = (node.matches('.choice input') ? node.nextElementSibling : node).getBoundingClientRect();
          const bar = document.querySelector('nav').getBoundingClientRect();
          const style = getComputedStyle(node.matches('.choice input') ? node.nextElementSibling : node);
          return { html: node.outerHTML.slice(0, 160), ring: parseFloat(style.outlineWidth), isInBar: node.closest('nav') !== null,
                   top: box.top, bottom: box.bottom, bar: bar.top, height: innerHeight }; }""")
        if stop is None:
            continue
        assert stop["ring"] >= 3, stop
        assert stop["isInBar"] or stop["top"] < stop["bar"] and stop["bottom"] > 0, f"hidden: {stop}"
        if phone.read("(selector) => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"no way to {selector} by the keyboard")


def test_the_keyboard_alone_writes_an_entry(front, browser):
    phone = device(front, browser)
    phone.open(front.url + "/")
    phone.page.keyboard.press("Tab")
    assert phone.read("document.activeElement.matches('.skip')") and phone.read("document.activeElement.getBoundingClientRect().left") >= 0
    phone.page.keyboard.press("Enter")
    press_until(phone, "input[name=category]")
    phone.page.keyboard.press("Space")
    press_until(phone, "[data-test=memo]")
    phone.page.keyboard.type("By keys")
    press_until(phone, "[data-test=save]")
    phone.page.keyboard.press("Enter")
    phone.until("[...document.querySelectorAll('[data-test=entry] .words')].some((words) => words.textContent === 'By keys')")
    assert phone.until("document.querySelector('[data-test=sync-state]').textContent")
    assert not phone.faults
    phone.close()


def test_the_keyboard_alone_marks_a_reminder_as_done(front, browser):
    reminder = remind(front.hub, front.person, "Water the flowers")
    phone = device(front, browser)
    phone.open(front.url + "/")
    form = f"form[action$='Reminders/Done']:has([name=id][value='{reminder}'])"
    press_until(phone, f"{form} button")
    phone.page.keyboard.press("Enter")
    phone.until(f'document.querySelector("{form}") === null')
    assert reminder not in [each["id"] for each in front.hub.reply("Reminders/Status").get("due", [])]
    # The button is gone; the focus is on the page that had it, and not on the whole document.
    assert phone.until("document.activeElement.closest('#page') !== null") and not phone.faults
    phone.close()


def test_the_keyboard_alone_logs_a_call(front, browser):
    phone = device(front, browser)
    phone.open(f"{front.url}/people/{front.person}")
    form = "form[action$='Calls/Log']"
    press_until(phone, f"details:has({form}) > summary")
    phone.page.keyboard.press("Enter")
    press_until(phone, f"{form} [name='record.note']")
    phone.page.keyboard.type("Called by keys")
    press_until(phone, f"{form} button")
    phone.page.keyboard.press("Enter")
    phone.until("[...document.querySelectorAll('[data-test=call] .words')].some((words) => words.textContent === 'Called by keys')")
    assert "Called by keys" in [call.get("note") for call in front.hub.reply("Calls/List")["calls"]]
    # The form is folded again; the focus is on what unfolds it.
    assert phone.until(f'document.activeElement.matches("details:not([open]):has({form}) > summary")') and not phone.faults
    phone.close()


def test_the_keyboard_alone_finds_a_person(front, browser):
    phone = device(front, browser)
    phone.open(front.url + "/people")
    press_until(phone, "[data-test=search]")
    found = "[...document.querySelectorAll('[data-test=person] .kind')].map((name) => name.textContent).join() === 'Ingrid Berg'"
    phone.page.keyboard.type("ingri")
    # The search while somebody types is over.
    phone.until(f"location.search === '?text=ingri' && {found}")
    phone.read("window.old = true")
    phone.page.keyboard.press("Enter")
    phone.until(f"!window.old && document.readyState === 'complete' && {found}")
    press_until(phone, "[data-test=person] a")
    with phone.page.expect_navigation():
        phone.page.keyboard.press("Enter")
    phone.until("document.querySelector('h1').textContent === 'Ingrid Berg'")
    assert not phone.faults
    phone.close()


def test_the_keyboard_alone_speaks(front, browser):
    phone = device(front, browser)
    phone.open(front.url + "/")
    press_until(phone, "[data-test=record]")
    phone.page.keyboard.press("Space")
    phone.until("document.activeElement.matches('[data-test=stop]')")
    spoken(phone, 1)
    phone.page.keyboard.press("Space")
    phone.until("document.querySelector('[data-test=record]').getAttribute('aria-pressed') === 'false'")
    phone.until("document.querySelector('[data-test=pending]').hidden")
    # The button that had the focus is gone; the focus is on the one in its place, and not at the top of the page.
    phone.until("document.activeElement.matches('[data-test=record]')")
    phone.close()


@pytest.mark.parametrize("place", ["[data-test=entry] a", "input[name=category]", "[data-test=memo]", "[data-test=save]"])
def test_a_page_that_is_made_again_keeps_the_focus(front, browser, place):
    phone = device(front, browser)
    phone.open(front.url + "/")
    press_until(phone, place)
    same = "[document.activeElement.tagName, document.activeElement.getAttribute('href'), document.activeElement.getAttribute('value')]"
    before = phone.read(same)
    phone.read("document.activeElement.dataset.old = ''")
    memo = f"meanwhile, at {place}"
    front.hub.reply("Care/Record", {"category": "meal", "memo": memo})
    phone.until(f"[...document.querySelectorAll('[data-test=entry] .words')].some((words) => words.textContent === {memo!r})")
    assert phone.read(same) == before and phone.read("!('old' in document.activeElement.dataset)")
    phone.close()


def test_who_wants_no_motion_sees_none(front, browser):
    for motion, animation in [("reduce", "none"), ("no-preference", "breathe")]:
        phone = device(front, browser, reduced_motion=motion)
        phone.open(front.url + "/")
        phone.page.click("[data-test=record]")
        phone.until("document.querySelector('[data-test=record]').getAttribute('aria-pressed') === 'true'")
        phone.read("document.querySelector('[data-test=record]').hidden = false")
        assert phone.read("getComputedStyle(document.querySelector('[data-test=record]')).animationName") == animation
        phone.page.click("[data-test=stop]")
        phone.until("document.querySelector('[data-test=pending]').hidden")
        phone.close()
