// Keeps the page as the house has it: follows its events and fetches the page again. The server is the only one that makes pages.
import { isHouse } from "./sender.js";
import { say, word } from "./words.js";

/** Where the scripts of this page's version are. */
const SCRIPTS = new URL(".", import.meta.url).pathname;
/** The script that takes sound. */
export const WORKLET = `${SCRIPTS}recorder-worklet.js`;

const policy = globalThis.trustedTypes?.createPolicy("kith", {
  // Pages of this server alone: the text of an answer to fetch(location).
  createHTML: (/** @type {string} */ text) => text,
  createScriptURL: (/** @type {string} */ url) => {
    if (!["/sw.js", WORKLET].includes(url)) throw new TypeError(url);
    return url;
  },
});

/**
 * A script of ours, by its address.
 * @param {string} url
 */
export const script = (url) => /** @type {string} */ (/** @type {unknown} */ (policy ? policy.createScriptURL(url) : url));

/** @type {number | undefined} */
let timer;
/**
 * Since when the timer has been put off, in milliseconds.
 * @type {number | undefined}
 */
let askedAt;
let isStale = false;
/** Whether a finger, a pen or a button of the mouse is down. */
let isPressed = false;
/** How often the page was fetched again. */
let fetches = 0;

/**
 * Whether a field is not as the page came.
 * @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} field
 */
function isChanged(field) {
  if (field instanceof HTMLSelectElement) {
    // Without a chosen option, it is the first.
    return field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected));
  }
  const isMark = field instanceof HTMLInputElement && ["radio", "checkbox"].includes(field.type);
  return isMark ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
}

/**
 * Whether somebody touches the page, writes on it, speaks or listens, or has scrolled beyond what a fresh one would have.
 * A press that began on one element and ends on another that took its place would be no click on either.
 */
export function isInUse() {
  const main = document.getElementById("page");
  if (!main) return false;
  const fields = /** @type {NodeListOf<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>} */ (
    main.querySelectorAll("form :is(input:not([type=hidden]), textarea, select)"));
  // The button of a form cannot be pressed while what it sends is being kept.
  return isPressed || document.body.dataset.recording === "true" || isScrolled()
    || main.querySelector("form [disabled], details[open] form") !== null
    || [...fields].some(isChanged) || [...main.querySelectorAll("audio")].some((sound) => !sound.paused);
}

/**
 * What finds an element again on a page that was made anew.
 * @param {Element} element
 */
function selector(element) {
  /** @param {string} name */
  const having = (name) => element.hasAttribute(name) ? `[${name}="${CSS.escape(element.getAttribute(name) ?? "")}"]` : "";
  const itself = having("data-test") || having("href") || (having("name") && having("name") + having("value"));
  const isSummary = element.matches("summary");
  const form = isSummary ? element.parentElement?.querySelector("form[action]") : element.closest("form[action]");
  if (!form) return itself;
  const action = `form[action="${CSS.escape(form.getAttribute("action") ?? "")}"]`;
  return isSummary ? `details:has(${action}) > summary` : itself && `${action} ${itself}`;
}

/** Whether parts were added to a list and somebody reads them: a fresh page would take them away. */
function isScrolled() {
  return Number(document.body.dataset.parts ?? 1) > 1 && window.scrollY > 0;
}

/**
 * A page of this server; throws if something else answers, or nothing.
 * @param {string} address
 */
export async function fetchPage(address) {
  const answer = await fetch(address, { headers: { Accept: "text/html" }, cache: "no-store" });
  if (!isHouse(answer)) throw new TypeError("an answer of something else");
  const text = await answer.text();
  return new DOMParser().parseFromString(/** @type {string} */ (policy ? policy.createHTML(text) : text), "text/html");
}

/** Fetches the page again and shows it, unless somebody is writing on it: then as soon as that is over. */
export async function refresh() {
  // An answer that is shown once, such as a file that was made, is no page of the house.
  if (!document.body.dataset.streams) return;
  if (isInUse()) {
    isStale = true;
    return;
  }
  isStale = false;
  fetches += 1;
  const [number, address] = [fetches, location.href];
  try {
    const page = await fetchPage(address);
    const [fresh, old] = [page.getElementById("page"), document.getElementById("page")];
    // One that was fetched later is newer, also if it came earlier.
    if (!fresh || !old || number !== fetches || address !== location.href) return;
    if (isInUse()) {
      isStale = true;
      return;
    }
    // kith-web was updated. The scripts of before need not fit the page that it makes now.
    if (!page.querySelector(`script[src="${SCRIPTS}app.js"]`)) {
      // One that was kept earlier, because the house is slow, is no update.
      if ((page.body.dataset.made ?? "") < (document.body.dataset.made ?? "")) return;
      // What is typed or said from now on would be lost. A person may end the loading, and goes on then.
      old.inert = true;
      setTimeout(() => { old.inert = false; }, 25_000);
      location.reload();
      return;
    }
    const focused = document.activeElement && old.contains(document.activeElement) ? selector(document.activeElement) : undefined;
    old.replaceChildren(...fresh.childNodes);
    document.body.dataset.parts = "1";
    for (const name of ["made", "position"]) document.body.dataset[name] = page.body.dataset[name] ?? "";
    document.dispatchEvent(new Event("kith-page"));
    if (focused === undefined) return;
    const again = /** @type {HTMLElement | null} */ (focused ? old.querySelector(focused) : null);
    // What is gone leaves the focus near its place, and not at the top of the document.
    if (again) again.focus(); else old.focus({ preventScroll: true });
  } catch {
    // There is no network; the page stays as it is.
  }
}

/** Refreshes soon: once for several events, and after two seconds of events without a pause. */
export function refreshSoon() {
  clearTimeout(timer);
  askedAt ??= performance.now();
  timer = window.setTimeout(() => {
    askedAt = undefined;
    void refresh();
  }, Math.min(300, Math.max(0, askedAt + 2000 - performance.now())));
}

/** Refreshes a page that waited until nobody writes on it. */
export function refreshIfStale() {
  if (isStale) refreshSoon();
}

/** Follows presses: a page that waited for the end of one is refreshed once its click has been handled. */
export function followPresses() {
  /** @type {number | undefined} */
  let release;
  /** @param {number} delay for how many milliseconds a click may still come */
  const end = (delay) => {
    clearTimeout(release);
    release = window.setTimeout(() => {
      isPressed = false;
      refreshIfStale();
    }, delay);
  };
  document.addEventListener("pointerdown", () => {
    clearTimeout(release);
    isPressed = true;
  }, true);
  for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => end(200), true);
  document.addEventListener("click", () => end(0), true);
}

/** Says that there is no connection, and of when the page is. */
export function sayOffline() {
  const made = new Date(document.body.dataset.made ?? "");
  const time = Number.isNaN(made.getTime()) ? "" : new Intl.DateTimeFormat(document.documentElement.lang, {
    timeZone: document.body.dataset.zone, dateStyle: "medium", timeStyle: "short" }).format(made);
  say(word("offline", { time }));
}

/** @type {EventSource | undefined} */
let followed;
/** Whether the house could be reached before. */
let wasConnected = false;

/**
 * Says why events were refused, which a stream does not tell: this device is signed out, or there is no connection.
 * @param {EventSource} source
 */
async function sayRefused(source) {
  const signal = /** @type {any} */ (AbortSignal).timeout(4000);
  const answer = await fetch("/kith.v1.System/Whoami?message=%7B%7D", { cache: "no-store", signal }).catch(() => undefined);
  if (followed !== source) return;
  if (answer?.status === 401 && isHouse(answer)) say(word("signed-out")); else sayOffline();
}

/** Ends the stream of events of a page that is about to go, and asks for none again. */
export let unfollow = () => {};

/**
 * Follows the events of the page.
 * @param {() => void} connected called whenever the house can be reached again
 */
export function follow(connected) {
  const source = new EventSource(`/events?streams=${document.body.dataset.streams || "system"}`);
  followed = source;
  /** @type {number | undefined} */
  let again;
  unfollow = () => {
    clearTimeout(again);
    followed = undefined;
    source.close();
  };
  source.onopen = () => {
    say(word("live"));
    connected();
    // kith-web may have been updated meanwhile, of which no event tells.
    if (wasConnected) refreshSoon();
    wasConnected = true;
  };
  // Events come from here on. If the page was made earlier, no event tells what changed between.
  source.addEventListener("position", (event) => {
    if (event.lastEventId !== document.body.dataset.position) refreshSoon();
  });
  source.onmessage = () => refreshSoon();
  source.addEventListener("resync", () => refreshSoon());
  source.addEventListener("hub", (event) => {
    const isBack = JSON.parse(event.data).state === "back";
    say(word(isBack ? "live" : "hub-away"));
    if (!isBack) return;
    connected();
    refreshSoon();
  });
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return sayOffline();
    // A stream that was refused is not tried again by the browser.
    void sayRefused(source);
    again = window.setTimeout(() => follow(connected), 5000);
  };
}
