"""The pages of kith-web in Chromium, and what a browser allows by which way: the table of docs/tls.md."""
import contextlib
import shutil
import signal

import pytest

from browser import chromium
from certificates import make_certificate
from conftest import Hub
from test_web_ways import nginx
from web import Door, authority, door, free_port

NAME = "kith.home.arpa"

# Each gives "yes", "absent" or what the browser says.
MICROPHONE = """async () => {
  if (!navigator.mediaDevices) return 'absent';
  const sound = await navigator.mediaDevices.getUserMedia({audio: true}).catch((error) => error);
  if (sound instanceof Error) return `${sound.name}: ${sound.message}`;
  const [track] = sound.getAudioTracks();
  const state = track.readyState;
  track.stop();
  return state === 'live' ? 'yes' : state;
}"""
# The only script of the door's own pages is none for a worker. That it is fetched and run is enough: before, the certificate is checked.
SERVICE_WORKER = """async () => {
  if (!navigator.serviceWorker) return 'absent';
  const policy = trustedTypes.createPolicy('kith', {createScriptURL: (url) => url});
  try {
    await navigator.serviceWorker.register(policy.createScriptURL('/files/pair.js'), {scope: '/files/'});
    return 'yes';
  } catch (error) {
    return error.message.includes('evaluation') ? 'yes' : `${error.name}: ${error.message}`;
  }
}"""
CACHES = """async () => {
  if (!window.caches) return 'absent';
  const cache = await caches.open('trial');
  await cache.put('/trial', new Response('kept'));
  return (await (await caches.match('/trial')).text()) === 'kept' ? 'yes' : 'lost';
}"""
LOCKS = "async () => navigator.locks ? navigator.locks.request('trial', () => 'yes') : 'absent'"
RANDOM = "() => crypto.randomUUID ? (crypto.randomUUID().length === 36 ? 'yes' : 'short') : 'absent'"
PASSKEY = """async () => {
  if (!window.PublicKeyCredential) return 'absent';
  const made = await navigator.credentials.create({publicKey: {
    challenge: new Uint8Array(32), rp: {name: 'Kith'}, user: {id: new Uint8Array(16), name: 'hanako', displayName: 'Hanako'},
    pubKeyCredParams: [{type: 'public-key', alg: -7}]}}).catch((error) => error);
  return made instanceof Error ? `${made.name}: ${made.message}` : 'yes';
}"""
EVERYTHING = {"microphone": "yes", "service worker": "yes", "caches": "yes", "locks": "yes", "random": "yes", "passkey": "yes"}


def allowed(phone, authenticator=True):
    """What the browser allows the page that is open."""
    if authenticator:
        phone.authenticator()
    return {name: phone.read(expression) for name, expression in {
        "microphone": MICROPHONE, "service worker": SERVICE_WORKER, "caches": CACHES, "locks": LOCKS, "random": RANDOM,
        "passkey": PASSKEY}.items()}


@contextlib.contextmanager
def opened(url, **options):
    """A page of kith-web at an address, in a browser that knows NAME."""
    with chromium(names=[NAME], **options) as browser:
        phone = browser.phone()
        phone.open(url)
        yield phone


@pytest.fixture(scope="module")
def plain():
    with door("--insecure-http", "--name", NAME) as front:
        yield front


@pytest.fixture(scope="module")
def own():
    with door("--own-ca", "--name", NAME) as front:
        yield front


@pytest.fixture(scope="module")
def browser():
    with chromium(names=[NAME]) as browser:
        yield browser


def test_plain_http_and_a_name_allow_reading_alone(plain):
    with opened(f"http://{NAME}:{plain.port}/") as phone:
        assert not phone.read("isSecureContext")
        assert set(allowed(phone).values()) == {"absent"}


def test_localhost_allows_everything(plain):
    with opened(f"http://localhost:{plain.port}/") as phone:
        assert allowed(phone) == EVERYTHING


def test_a_warning_that_was_clicked_away_leaves_no_work_without_the_network(own, browser):
    phone = browser.phone()
    phone.open_past_warning(f"https://{NAME}:{own.port}/")
    # With an authenticator of a test, Chromium does not look at the certificate.
    told = allowed(phone, authenticator=False)
    assert "An SSL certificate error" in told.pop("service worker")
    assert "TLS certificate errors" in told.pop("passkey")
    assert set(told.values()) == {"yes"}, told


def test_the_authority_of_the_home_and_a_name_allow_everything(own):
    with opened(f"https://{NAME}:{own.port}/", authority=authority(own)) as phone:
        assert allowed(phone) == EVERYTHING


def test_the_authority_of_the_home_and_an_address_allow_all_but_passkeys(own):
    with opened(f"https://127.0.0.1:{own.port}/", authority=authority(own)) as phone:
        told = allowed(phone)
        assert "invalid domain" in told.pop("passkey")
        assert set(told.values()) == {"yes"}, told


@pytest.fixture
def issued(tmp_path):
    """The folder of a certificate for NAME, and the file of the authority that it is of."""
    made, _ = make_certificate(tmp_path / "authority", "Authority")
    make_certificate(tmp_path / "leaf", NAME, authority=made, hosts=[NAME])
    return tmp_path / "leaf", tmp_path / "authority" / "certificate.pem"


def test_certificate_files_allow_everything(issued):
    leaf, of = issued
    hub = Hub().start()
    front = Door(hub, "--cert", leaf / "certificate.pem", "--key-file", leaf / "key.pem", "--name", NAME)
    try:
        front.start()
        with opened(f"https://{NAME}:{front.port}/", authority=of) as phone:
            assert allowed(phone) == EVERYTHING
    finally:
        front.end()
        hub.remove()


@pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is missing: apt-get install nginx-light")
def test_a_proxy_with_a_real_name_allows_everything(issued, tmp_path):
    leaf, of = issued

    def certify(place, name):
        for source, ending in (("certificate.pem", "pem"), ("key.pem", "key")):
            shutil.copy(leaf / source, place / f"{name}.{ending}")

    port = free_port()
    with door("--behind-proxy", "--url", f"https://{NAME}:{port}", "--name", NAME) as front:
        with nginx(tmp_path, front.port, port, certify), opened(f"https://{NAME}:{port}/", authority=of) as phone:
            assert allowed(phone) == EVERYTHING


@pytest.mark.parametrize("language, title", [("en-GB", "Join this device"), ("ja-JP", "この端末を登録する")])
def test_the_pages_follow_the_language_and_break_no_policy(own, browser, language, title):
    phone = browser.phone(locale=language, color_scheme="dark")
    start = f"https://{NAME}:{own.port}"
    phone.open_past_warning(f"{start}/pair")
    assert phone.read("document.querySelector('h1').textContent") == title
    for path in ("/pair", "/ca", "/"):
        phone.open(start + path)
        assert phone.read("document.documentElement.lang") == language[:2]
        assert phone.refused() == [] and phone.faults == [], path
    assert phone.read("matchMedia('(prefers-color-scheme: dark)').matches") and phone.read("innerWidth") == 390
    phone.close()


def test_a_phone_joins_on_the_page_and_leaves(plain, browser):
    phone = browser.phone()
    code = plain.hub.reply("Devices/Invite", {"name": "taro", "role": "recorder"})["code"]
    phone.open(f"http://localhost:{plain.port}/pair")
    phone.page.fill("#code", code)
    phone.page.click("button")
    phone.until("document.body.dataset.device === 'taro'")
    phone.open(f"http://localhost:{plain.port}/more")
    with phone.page.expect_navigation():
        phone.page.click("form.leave button")
    assert [device["state"] for device in plain.hub.reply("Devices/List")["devices"] if device["name"] == "taro"] == ["revoked"]
    assert phone.refused() == [] and phone.faults == []
    phone.close()


@pytest.mark.parametrize("victim", ["kithd", "kith-web"])
def test_a_page_misses_no_event_when_a_process_is_killed(browser, victim):
    with door("--insecure-http") as front:
        phone = browser.phone()
        phone.join(front)
        phone.open(front.url + "/")
        phone.read("""() => {
          window.seen = [];
          window.places = 0;
          const follow = (since) => {
            const events = new EventSource('/events?streams=care' + since);
            const note = (event) => { since = '&since=' + encodeURIComponent(event.lastEventId); };
            events.addEventListener('position', (event) => { note(event); window.places += 1; });
            events.addEventListener('message', (event) => { note(event); window.seen.push(Number(JSON.parse(event.data).header.seq)); });
            // A house that starts refuses a stream, and then the browser does not ask again.
            events.onerror = () => { if (events.readyState === EventSource.CLOSED) setTimeout(() => follow(since), 500); };
          };
          follow('');
        }""")
        phone.until("window.places === 1")
        for number in range(5):
            front.hub.reply("Care/Record", {"category": "meal", "memo": f"before {number}"})
        phone.until("window.seen.length >= 1")
        if victim == "kithd":
            front.hub.restart(signal.SIGKILL)
        else:
            front.end(signal.SIGKILL)
        for number in range(5):
            front.hub.reply("Care/Record", {"category": "meal", "memo": f"while away {number}"})
        if victim == "kith-web":
            front.start()
        for number in range(5):
            front.hub.reply("Care/Record", {"category": "meal", "memo": f"after {number}"})
        last = front.hub.seq("care")
        phone.until(f"window.seen.includes({last})", 60)
        seen = phone.read("window.seen")
        assert seen == list(range(last - len(seen) + 1, last + 1)) and len(seen) == 15, seen
        phone.close()
