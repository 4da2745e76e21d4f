// Keeps the page as the house has it: follows its events and fetches the page again. The server is the only one that makes pages.
import { say, word } from "./words.js";

const policy = globalThis.trustedTypes?.createPolicy("kith", {
  // Pages of this server alone: the text of an answer to fetch(location).
  createHTML: (/** @type {string} */ text) => text,
  createScriptURL: (/** @type {string} */ url) => {
    if (!["/sw.js", "/files/recorder-worklet.js"].includes(url)) throw new TypeError(url);
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
let isStale = false;

/** Whether somebody is writing on the page. */
function isInUse() {
  const main = document.getElementById("page");
  if (!main) return false;
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (main.querySelectorAll("form.command input:not([type=hidden]), form.command textarea"));
  return document.body.dataset.recording === "true" || main.querySelector("details[open] form") !== null
    || [...fields].some((field) => field.type === "radio" || field.type === "checkbox" ? field.checked !== field.defaultChecked
      : field.value !== field.defaultValue) || main.querySelector("audio:not([paused])[data-playing]") !== null;
}

/**
 * What finds an element again on a page that was made anew.
 * @param {Element} element
 */
function selector(element) {
  /** @param {string} name */
  const having = (name) => element.hasAttribute(name) ? `[${name}="${CSS.escape(element.getAttribute(name) ?? "")}"]` : "";
  const itself = having("data-test") || having("href") || (having("name") && having("name") + having("value"));
  const form = element.closest("form[action]");
  return itself && form ? `form[action="${CSS.escape(form.getAttribute("action") ?? "")}"] ${itself}` : itself;
}

/** Fetches the page again and shows it, unless somebody is writing on it: then as soon as that is over. */
export async function refresh() {
  if (isInUse()) {
    isStale = true;
    return;
  }
  isStale = false;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
    const text = await answer.text();
    const page = new DOMParser().parseFromString(/** @type {string} */ (policy ? policy.createHTML(text) : text), "text/html");
    const [fresh, old] = [page.getElementById("page"), document.getElementById("page")];
    if (!fresh || !old) return;
    if (isInUse()) {
      isStale = true;
      return;
    }
    const focused = document.activeElement && old.contains(document.activeElement) ? selector(document.activeElement) : null;
    old.replaceChildren(...fresh.childNodes);
    document.body.dataset.made = page.body.dataset.made ?? "";
    document.dispatchEvent(new Event("kith-page"));
    if (focused) /** @type {HTMLElement | null} */ (old.querySelector(focused))?.focus();
  } catch {
    // There is no network; the page stays as it is.
  }
}

/** Refreshes soon: once for several events. */
export function refreshSoon() {
  clearTimeout(timer);
  timer = window.setTimeout(() => void refresh(), 300);
}

/** Refreshes a page that waited until nobody writes on it. */
export function refreshIfStale() {
  if (isStale) refreshSoon();
}

/** Says that there is no connection, and of when the page is. */
export function sayOffline() {
  const made = new Date(document.body.dataset.made ?? "");
  const time = Number.isNaN(made.getTime()) ? "" : new Intl.DateTimeFormat(document.documentElement.lang, {
    timeZone: document.body.dataset.zone, dateStyle: "medium", timeStyle: "short" }).format(made);
  say(word("offline", { time }));
}

/**
 * Follows the events of the page.
 * @param {() => void} connected called whenever the house can be reached again
 */
export function follow(connected) {
  const streams = document.body.dataset.streams;
  const source = new EventSource(`/events?streams=${streams || "system"}`);
  source.onopen = () => {
    say(word("live"));
    connected();
    // No event tells what changed since the page was made, before the stream was open.
    refreshSoon();
  };
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
    sayOffline();
    // A stream that was refused is not tried again by the browser.
    if (source.readyState !== EventSource.CLOSED) return;
    window.setTimeout(() => follow(connected), 5000);
  };
}
