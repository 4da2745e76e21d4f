"""The page of a phone that lies open: it follows the house, and leaves alone what somebody is doing on it."""
import pytest

from browser import browser  # noqa: F401 - a fixture
from visitor import person
from web import door

# A page that is fetched again is so 0.3 s after an event, and is then there at once.
SOON = 1500
# Notes what moved on the page although nobody had touched it.
MOVED = """
window.moved = [];
new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) window.moved.push(shift.sources.map(({node}) => node?.outerHTML?.slice(0, 100)));
}).observe({type: 'layout-shift', buffered: true});
"""


@pytest.fixture
def front():
    with door() as front:
        yield front


@pytest.fixture
def phone(browser, front):
    phone = browser.phone()
    phone.join(front)
    yield phone
    assert not phone.faults and not phone.refused()
    phone.close()


def connected(phone):
    phone.until("document.querySelector('[data-test=sync-state]').textContent === 'Connected'")


def memos(phone):
    return phone.read("[...document.querySelectorAll('[data-test=entry] .words')].map((words) => words.textContent)")


def test_nothing_moves_away_from_under_a_finger_while_a_page_opens(front, phone):
    ann = person(front, "Ann")
    front.hub.reply("Care/Record", {"category": "meal", "memo": "soup"})
    phone.context.add_init_script(MOVED)
    for path in ("/", f"/people/{ann}", "/conflicts"):
        phone.open(front.url + path)
        connected(phone)
        # What moved is told after the picture in which it did so.
        phone.read("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true), 100)))")
        assert phone.read("window.moved") == [], path
        if path == "/":
            assert phone.page.locator("[data-test=record]").is_visible()
    phone.read("document.querySelector('main').before(Object.assign(document.createElement('p'), {textContent: 'New'}))")
    phone.until("window.moved.length > 0")


def test_an_entry_of_another_device_appears_by_itself(front, phone):
    phone.open(front.url + "/")
    front.device("taro").reply("Care/Record", {"category": "medication", "memo": "8 o'clock"})
    phone.until("document.querySelectorAll('[data-test=entry]').length === 1")
    assert memos(phone) == ["8 o'clock"]


def test_what_changes_between_the_page_and_its_events_is_shown(front, phone):
    held = []
    phone.page.route("**/events?*", lambda route: held.append(route))
    phone.open(front.url + "/")
    while not held:
        phone.page.wait_for_timeout(20)
    with front.device("taro").events("care") as reader:
        assert next(reader)[0] == "position"
        front.hub.reply("Care/Record", {"category": "meal", "memo": "between"})
        # From here on the page's events begin after this one.
        assert next(reader)[0] == "message"
    held.pop().continue_()
    phone.until("document.querySelectorAll('[data-test=entry]').length === 1")
    assert memos(phone) == ["between"]


@pytest.mark.parametrize("path", ["/", "/more"])
def test_a_page_that_is_as_the_house_has_it_is_not_fetched_again(front, phone, path):
    asked = []
    phone.page.on("request", lambda request: asked.append(request.url))
    phone.open(front.url + path)
    connected(phone)
    phone.page.wait_for_timeout(SOON)
    assert asked.count(front.url + path) == 1, asked


@pytest.mark.parametrize("path, field, begin, end, change", [
    ("/", "[data-test=memo]", "field.value = 'Half a'", "field.value = ''", ("Care/Record", {"category": "meal", "memo": "elsewhere"})),
    ("/", "input[value=meal]", "field.checked = true", "field.checked = false", ("Care/Record", {"category": "meal", "memo": "elsewhere"})),
    ("/people", "[data-test=search]", "field.value = 'ingr'", "field.value = ''",
     ("People/Create", {"record": {"firstName": "elsewhere"}})),
    ("/calls", "select[name=emotion]", "field.value = 'happy'", "field.value = ''",
     ("People/Create", {"record": {"firstName": "elsewhere"}})),
    ("/people", "details", "field.open = true", "field.open = false", ("People/Create", {"record": {"firstName": "elsewhere"}})),
])
def test_what_somebody_has_begun_is_left_alone_and_then_the_page_is_as_the_house(front, phone, path, field, begin, end, change):
    phone.open(front.url + path)
    connected(phone)
    do = "() => { const field = document.querySelector('%s'); field.dataset.begun = ''; field.focus(); %s; }"
    phone.read(do % (field, begin))
    front.hub.reply(*change)
    phone.page.wait_for_timeout(SOON)
    assert phone.read(f"'begun' in document.querySelector('{field}').dataset")
    phone.read(do % (field, end))
    phone.read("document.activeElement.blur()")
    phone.until(f"!('begun' in document.querySelector('{field}').dataset)")
    assert path == "/calls" or "elsewhere" in phone.read("document.querySelector('main').innerText")


def test_sound_that_somebody_listens_to_is_not_cut_off(front, browser, phone):
    phone.open(front.url + "/")
    connected(phone)
    phone.read("""async () => {
      const { wav } = await import('/files/wav.js');
      const sound = document.createElement('audio');
      sound.src = URL.createObjectURL(wav([new Int16Array(16_000 * 60)]));
      document.querySelector('main').append(sound);
      await sound.play();
    }""")
    front.hub.reply("Care/Record", {"category": "meal", "memo": "elsewhere"})
    phone.page.wait_for_timeout(SOON)
    assert phone.read("!document.querySelector('audio').paused") and memos(phone) == []
    phone.read("document.querySelector('audio').pause()")
    phone.until("document.querySelector('audio') === null")
    assert memos(phone) == ["elsewhere"]
