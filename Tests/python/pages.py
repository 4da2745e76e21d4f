"""What a person does on the pages and sees there, and what the house has of it."""
import time

# A slow disk: what is added to a store is not kept before `window.kept` is true.
SLOW = """(store) => {
  window.kept = false;
  const add = IDBObjectStore.prototype.add;
  IDBObjectStore.prototype.add = function (value) {
    const request = add.call(this, value);
    const wait = () => { if (!window.kept) this.count().onsuccess = wait; };
    if (this.name === store) wait();
    return request;
  };
}"""


# The worker of the pages answers for this page.
WORKER = "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)"
# The page that is open follows the house.
CONNECTED = "document.querySelector('[data-test=sync-state]').textContent === 'Connected'"
# The page that is open is kept for times without a network.
KEPT = "caches.match(location.href).then((page) => page !== undefined)"
# Counts the pages that scripts have fetched in `window.parsed`.
PARSED = """() => {
  window.parsed = 0;
  const parse = DOMParser.prototype.parseFromString;
  DOMParser.prototype.parseFromString = function (...page) {
    window.parsed += 1;
    return parse.apply(this, page);
  };
}"""
# Notes what an element says in `window.told`: it may say something else soon.
TOLD = """(selector) => {
  window.told = [];
  new MutationObserver(() => window.told.push(document.querySelector(selector)?.textContent ?? ''))
    .observe(document.body, { childList: true, characterData: true, subtree: true });
}"""


def write(phone, memo, category="meal"):
    phone.page.click(f"[data-test=category-{category}]")
    phone.page.fill("[data-test=memo]", memo)
    phone.page.click("[data-test=save]")


def spoken(page, seconds):
    """Waits until a page says that it has so much of what somebody speaks."""
    page.until(f"Number(document.querySelector('form.voice output').textContent.match(/\\d+/)?.[0] ?? 0) >= {seconds}")


def entries(front, count, seconds=30):
    """The entries of the hub, as soon as there are COUNT of them."""
    end = time.monotonic() + seconds
    while True:
        records = front.hub.reply("Care/List", {"limit": 500}).get("records", [])
        if len(records) >= count or time.monotonic() > end:
            return records
        time.sleep(0.05)


def shown(phone):
    return phone.read("[...document.querySelectorAll('[data-test=entry] .words')].map((words) => words.textContent)")


def waiting(phone):
    return phone.read("document.querySelector('[data-test=pending]').hidden ? '' : document.querySelector('[data-test=pending]').innerText")


# Asks the device itself: a page that has just been opened shows nothing before it has read what the device keeps.
NOTHING_WAITS = """document.querySelector('[data-test=pending]').hidden && new Promise((resolve, reject) => {
    const request = indexedDB.open("kith");
    request.onupgradeneeded = () => request.transaction.abort();
    request.onerror = () => resolve(request.error.name === "AbortError");
    request.onsuccess = () => {
        const counted = request.result.transaction(["queue"]).objectStore("queue").count();
        counted.onsuccess = () => { request.result.close(); resolve(counted.result === 0); };
        counted.onerror = () => reject(counted.error);
    };
})"""


def drained(phone, seconds=30):
    """Waits until the device keeps no command, and shows none."""
    phone.until(NOTHING_WAITS, seconds)
