// Keeps the page as the house has it: follows its events and fetches the page again. The server is the only one that makes pages.
import { delay } from "./queue.js";
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
/** How often in a row no page came that could be shown. */
let failures = 0;
/** @type {number | undefined} */
let retry;
/** How many milliseconds a page has to come: more than the worker of the pages waits for it. */
const LOADING = 25_000;
/** When this page was about to be left. */
let leftAt = -Infinity;
window.addEventListener("beforeunload", () => { leftAt = performance.now(); });

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
 * Whether somebody touches the page, writes on it, chooses pictures, speaks or listens, or has scrolled beyond what a fresh one would have.
 * A press that began on one element and ends on another that took its place would be no click on either.
 */
export function isInUse() {
  const main = document.getElementById("page");
  if (!main) return false;
  const fields = /** @type {NodeListOf<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>} */ (
    main.querySelectorAll("form :is(input:not([type=hidden]), textarea, select)"));
  // The button of a form cannot be pressed while what it sends is being kept. Pictures stay chosen in a form that was folded.
  return isPressed || document.body.dataset.recording === "true" || isScrolled()
    || main.querySelector("form [disabled], details[open] form, .chosen img, [data-reading]") !== null
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
 * A page of this server; throws if something else answers, or nothing, or if the house is in trouble.
 * @param {string} address
 * @param {RequestCache} cache "reload": the worker of the pages gives none that it has kept
 */
export async function fetchPage(address, cache = "no-store") {
  const answer = await fetch(address, { headers: { Accept: "text/html" }, cache });
  if (!isHouse(answer) || answer.status >= 500) throw new TypeError("no page of the house");
  const text = await answer.text();
  return new DOMParser().parseFromString(/** @type {string} */ (policy ? policy.createHTML(text) : text), "text/html");
}

/**
 * Whether a page is of the version of this one: of another one, it need not fit these scripts.
 * @param {Document} page
 */
export const isOfVersion = (page) => page.querySelector(`script[src="${SCRIPTS}app.js"]`) !== null;

/** Refreshes later, and the later the more often that was in vain. */
function askAgain() {
  failures += 1;
  clearTimeout(retry);
  retry = window.setTimeout(refreshSoon, delay(failures));
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
  const page = await fetchPage(address, "reload").catch(() => undefined);
  const [fresh, old] = [page?.getElementById("page"), document.getElementById("page")];
  // One that was fetched later is newer, also if it came earlier.
  if (!old || number !== fetches || address !== location.href) return;
  // No event tells of it when the house can be reached again, if its events go on coming.
  if (!page) return askAgain();
  // A page of the door or of a fault: the house will say nothing else.
  if (!fresh) return;
  if (isInUse()) {
    isStale = true;
    return;
  }
  if (!isOfVersion(page)) {
    // kith-web was updated. A page or a form that is under way already would be cut off.
    if (performance.now() - leftAt < LOADING) return askAgain();
    // What is typed or said from now on would be lost. Somebody may stop the loading, and go on.
    old.inert = true;
    setTimeout(() => { old.inert = false; }, LOADING);
    location.reload();
    return;
  }
  failures = 0;
  clearTimeout(retry);
  const focused = document.activeElement && old.contains(document.activeElement) ? selector(document.activeElement) : undefined;
  old.replaceChildren(...fresh.childNodes);
  document.body.dataset.parts = "1";
  for (const name of ["made", "position"]) document.body.dataset[name] = page.body.dataset[name] ?? "";
  document.dispatchEvent(new Event("kith-page"));
  if (focused === undefined) return;
  /** @type {HTMLElement | null} */
  let again = null;
  try {
    if (focused) again = old.querySelector(focused);
  } catch {
    // An older browser does not know ":has".
  }
  // What is gone leaves the focus near its place, and not at the top of the document.
  if (again) again.focus(); else old.focus({ preventScroll: true });
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
/** Whether the events were asked for before, with or without success. */
let isAgain = false;

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
    if (isAgain) refreshSoon();
    isAgain = true;
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
    isAgain = true;
    if (source.readyState !== EventSource.CLOSED) return sayOffline();
    // A stream that was refused is not tried again by the browser.
    void sayRefused(source);
    again = window.setTimeout(() => follow(connected), 5000);
  };
}
