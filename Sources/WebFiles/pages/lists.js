// Lists: searched while somebody types, and continued while somebody scrolls.
import { fetchPage, isOfVersion, refreshIfStale } from "./live.js";

/** Milliseconds after the last key. */
const PATIENCE = 300;
/** How far below the screen the next part is fetched. */
const AHEAD = "800px";
const PLACE = "kith-place";

/** @type {number | undefined} */
let timer;
let searches = 0;

/**
 * A page of which parts are shown on this one; undefined without a network, and if it is of another version.
 * @param {string} address
 */
async function fetchList(address) {
  const page = await fetchPage(address).catch(() => undefined);
  return page && isOfVersion(page) ? page : undefined;
}

/** Begins to follow the search field and the end of the list. */
export function prepareLists() {
  const field = /** @type {HTMLInputElement | null} */ (document.querySelector("form.filter input[type=search]"));
  if (field?.form) {
    const form = field.form;
    field.oninput = () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => void search(form), PATIENCE);
    };
  }
  watchEnd();
}

/**
 * Shows what is found, and leaves the form alone, in which somebody writes.
 * @param {HTMLFormElement} form
 */
async function search(form) {
  const query = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  for (const [name, value] of [...query]) if (value === "") query.delete(name);
  const address = `${new URL(form.action).pathname}${String(query) ? `?${query}` : ""}`;
  searches += 1;
  const mine = searches;
  const page = await fetchList(address);
  const fresh = page?.querySelector("form.filter");
  // Without such a page the list stays; an answer that a later one has overtaken is dropped.
  if (!fresh || mine !== searches || !form.isConnected) return;
  history.replaceState(null, "", address);
  while (form.nextSibling) form.nextSibling.remove();
  form.after(...following(fresh));
  // The form is as a fresh page would have it: nobody is writing in it any more.
  for (const changed of form.querySelectorAll("input")) changed.defaultValue = changed.value;
  for (const option of form.querySelectorAll("option")) option.defaultSelected = option.selected;
  document.body.dataset.parts = "1";
  watchEnd();
}

/**
 * What comes after a node.
 * @param {Node} node
 */
function following(node) {
  const nodes = [];
  for (let next = node.nextSibling; next; next = next.nextSibling) nodes.push(next);
  return nodes;
}

// MARK: - Scrolling

/** @type {IntersectionObserver | undefined} */
let end;

function watchEnd() {
  end?.disconnect();
  const next = /** @type {HTMLElement | null} */ (document.querySelector("#page > .next"));
  if (!next) return;
  end = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    end?.disconnect();
    void append(next);
  }, { rootMargin: AHEAD });
  end.observe(next);
}

/**
 * Puts the next part of the list in place of the link to it.
 * @param {HTMLElement} next
 */
async function append(next) {
  const address = next.querySelector("a")?.href;
  const page = address ? await fetchList(address) : undefined;
  const fresh = page?.getElementById("page");
  // The link stays for a finger where no such page came.
  if (!fresh || !next.isConnected) return;
  const form = fresh.querySelector("form.filter");
  const parts = form ? following(form) : [...fresh.childNodes].filter((node) => node.nodeName !== "H1");
  const added = parts.filter((node) => node instanceof HTMLElement && node.matches("section, .next"));
  next.replaceWith(...added);
  document.body.dataset.parts = String(Number(document.body.dataset.parts ?? 1) + 1);
  watchEnd();
}

/** Goes back to the place of the list where somebody was: as many parts, as far down. */
export async function returnToPlace() {
  window.addEventListener("pagehide", () => {
    sessionStorage.setItem(`${PLACE} ${location.href}`, JSON.stringify([Number(document.body.dataset.parts ?? 1), window.scrollY]));
  });
  window.addEventListener("scroll", () => { if (window.scrollY === 0) refreshIfStale(); }, { passive: true });
  const visit = /** @type {PerformanceNavigationTiming | undefined} */ (performance.getEntriesByType("navigation")[0]);
  const kept = sessionStorage.getItem(`${PLACE} ${location.href}`);
  if (visit?.type !== "back_forward" || !kept) return;
  const [parts, place] = JSON.parse(kept);
  for (let part = 1; part < parts; part += 1) {
    const next = /** @type {HTMLElement | null} */ (document.querySelector("#page > .next"));
    if (!next) break;
    end?.disconnect();
    await append(next);
  }
  window.scrollTo(0, place);
}
