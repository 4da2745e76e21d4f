// Begins here: makes the page of the server live, and its forms work without the network.
import { message } from "./form.js";
import { follow, followPresses, isInUse, refresh, refreshIfStale, refreshSoon, sayOffline, script, unfollow } from "./live.js";
import { prepareLists, returnToPlace } from "./lists.js";
import { forgetPhotos, photosOf, preparePhotos } from "./photos.js";
import { endPush, preparePush } from "./push.js";
import { onceAtATime, written } from "./queue.js";
import { add, discard, drain, isHouse, onChange, retry } from "./sender.js";
import * as store from "./store.js";
import { prepareVoice, recoverRecordings } from "./voice.js";
import { say, word } from "./words.js";

/** @typedef {import("./queue.js").Waiting} Waiting */

// MARK: - Forms

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const submitter = /** @type {HTMLButtonElement | null} */ (/** @type {SubmitEvent} */ (event).submitter);
  if (form.matches("form.command") && !submitter?.hasAttribute("data-direct")) {
    event.preventDefault();
    void submit(form, submitter);
  } else if (form.matches("form.leave")) {
    event.preventDefault();
    void leave(form);
  }
});

/**
 * Keeps the command of a form on this device, sends it, and shows what follows.
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement | null} submitter
 */
async function submit(form, submitter) {
  const read = () => /** @type {[string, string][]} */ ([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  submitter?.setAttribute("disabled", "");
  const photos = await photosOf(form);
  // Pictures take a while, in which somebody may write on.
  const fields = read();
  const key = crypto.randomUUID?.() ?? fields.find(([name]) => name === "key")?.[1] ?? "";
  const now = form.dataset.now;
  /** @type {Record<string, any>} */
  let body;
  try {
    // The time of the page, which it has for browsers without scripts, is not the time of this moment.
    const known = fields.filter(([name]) => name !== now);
    const isNew = form.hasAttribute("data-creates");
    body = message(known.map(([name, value]) => [name, isNew && name === "clientId" ? key : value]), document.body.dataset.zone ?? "UTC");
  } catch {
    // The server says which field is wrong, in words.
    submitter?.removeAttribute("disabled");
    sendItself(form, submitter);
    return;
  }
  const noted = now?.split(".");
  const isNoted = noted !== undefined && fill(body, noted, new Date().toISOString());
  if (form.matches("[data-needs-photo]") && photos.length === 0) {
    submitter?.removeAttribute("disabled");
    refreshIfStale();
    say(word("photo-needed"));
    return;
  }
  const { after } = form.dataset;
  try {
    const address = submitter?.hasAttribute("formaction") ? submitter.formAction : form.action;
    const path = new URL(address).pathname.replace("/forms/", "/");
    // The next correction of this form is made on top of this one.
    if (form.elements.namedItem("ifUpdatedAt")) form.dataset.after = key;
    await add({ key, path, message: body, at: Date.now(), ...(isNoted ? { noted } : {}), ...(after ? { after } : {}) }, photos);
  } catch {
    if (after) form.dataset.after = after; else delete form.dataset.after;
    // Nothing can be kept here, as in some private windows: the browser sends the form itself, which has no pictures.
    say(word("no-storage"));
    submitter?.removeAttribute("disabled");
    if (photos.length === 0) sendItself(form, submitter);
    return;
  }
  forgetPhotos(form, photos);
  // What was written or chosen after the press stays, in a form that stays open.
  const isDone = (await photosOf(form)).length === 0 && String(read()) === String(fields);
  const isCorrection = ["ifContent", "ifUpdatedAt"].some((name) => form.elements.namedItem(name));
  if (isCorrection) startFrom(form, fields); else if (isDone) form.reset();
  submitter?.removeAttribute("disabled");
  refreshIfStale();
  // A form that was unfolded is folded again: while it is open, the page stays as it is.
  const around = form.closest("details");
  if (around && isDone) around.open = false;
  // Somebody who writes on, here or in another form, keeps the focus.
  const focused = document.activeElement ?? document.body;
  if (isDone && (focused === document.body || form.contains(focused))) (around?.querySelector("summary") ?? submitter)?.focus();
  await Promise.race([drain(), new Promise((resolve) => setTimeout(resolve, 4000))]);
  const rest = (await store.commands()).find((command) => command.key === key);
  say(word(rest ? "kept" : "saved"));
  const next = fields.find(([name]) => name === "next")?.[1] ?? "/";
  const isElsewhere = next !== location.pathname + location.search;
  // Nobody is taken away from what they are writing.
  if (!rest && isElsewhere && !isInUse()) location.assign(next); else if (!rest) await refresh();
}

/**
 * Makes a form that corrects something begin with the correction that was sent, of which the next one has to know.
 * @param {HTMLFormElement} form
 * @param {[string, string][]} sent
 */
function startFrom(form, sent) {
  /** @param {string} name */
  const values = (name) => sent.filter(([other]) => other === name).map(([, value]) => value);
  for (const field of form.elements) {
    if (field instanceof HTMLSelectElement) {
      for (const option of field.options) option.defaultSelected = values(field.name).includes(option.value);
    } else if (field instanceof HTMLInputElement && ["radio", "checkbox"].includes(field.type)) {
      field.defaultChecked = values(field.name).includes(field.value);
    } else if (field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && field.type !== "hidden")) {
      field.defaultValue = values(field.name)[0] ?? "";
    }
  }
  know(form, "ifContent", values("message.content")[0] ?? "");
  know(form, "ifWrittenByMe:bool", String(values("message.writtenByMe:bool").length > 0));
}

/**
 * Tells a form what it corrects, if it asks for that.
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {string} value
 */
function know(form, name, value) {
  const field = /** @type {HTMLInputElement | null} */ (form.elements.namedItem(name));
  if (field) field.value = value;
}

/**
 * Has the browser send a form, to where its button says.
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement | null} submitter
 */
function sendItself(form, submitter) {
  if (submitter?.hasAttribute("formaction")) form.action = submitter.formAction;
  form.submit();
}

/**
 * Sets a field within a message if it has none.
 * @param {Record<string, any>} object
 * @param {string[]} path
 * @param {string} value
 * @returns {boolean} whether it had none
 */
function fill(object, [name, ...rest], value) {
  if (rest.length > 0) return fill(object[name] ??= {}, rest, value);
  if (object[name] !== undefined) return false;
  object[name] = value;
  return true;
}

/** @type {number | undefined} */
let resumption;

/**
 * Signs out; what waits is said first, because it goes.
 * @param {HTMLFormElement} form
 */
async function leave(form) {
  // Without storage nothing waits; of storage that cannot be read now nobody knows.
  const waiting = await store.commands().catch(() => undefined);
  if (waiting?.length !== 0 && !confirm(word("leave-loses", { count: waiting?.length ?? "?" }))) return;
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
  // Until it can be pressed again, no update loads the page anew.
  button.disabled = true;
  clearTimeout(resumption);
  // The browser would ask for the events again as soon as the device is signed out, and be refused.
  unfollow();
  const answer = await fetch("/leave", { method: "POST", body: new URLSearchParams(/** @type {any} */ (new FormData(form))) })
    .catch(() => undefined);
  // The login page of a network has signed out nobody.
  if (!answer || !isHouse(answer) || (!answer.ok && answer.status !== 401)) {
    button.disabled = false;
    say(word("leave-later"));
    // The stream says how the connection is, in the place of this sentence.
    resumption = window.setTimeout(() => follow(() => void drain()), 5000);
    return;
  }
  // First, as the page may end at any moment. The files stay: they say nothing of anyone, and the worker fetches some of them only when it
  // is installed. Where the way is not encrypted, there are no caches.
  await globalThis.caches?.delete("pages").catch(() => false);
  await store.wipe().catch(() => undefined);
  sessionStorage.clear();
  await endPush().catch(() => undefined);
  location.assign("/");
}

// MARK: - What waits

/** Shows what waits, so that nobody takes it for sent. */
const showWaiting = onceAtATime(async () => {
  const section = document.getElementById("waiting");
  const commands = await store.commands().catch(() => undefined);
  // What cannot be read now stays as it was shown.
  if (!section || !commands) return;
  section.hidden = commands.length === 0;
  navigator.setAppBadge?.(commands.length).catch(() => undefined);
  const title = document.createElement("h2");
  title.textContent = word("waiting", { count: commands.length });
  const why = document.createElement("p");
  why.textContent = word("waiting-why");
  const list = document.createElement("ul");
  list.append(...commands.slice(0, 50).map(item));
  section.replaceChildren(title, why, list);
});

/** @param {Waiting} command */
function item(command) {
  const line = document.createElement("li");
  const time = new Intl.DateTimeFormat(document.documentElement.lang, {
    timeZone: document.body.dataset.zone, dateStyle: "short", timeStyle: "short" }).format(command.at);
  const text = command.hasSound ? "🎤" : written(command.message) || command.path.split("/").at(-1);
  line.textContent = `${time} ${text}${command.photos ? ` 📷 ${command.photos}` : ""}`;
  if (command.state === "failed") {
    const why = document.createElement("strong");
    why.className = "mark";
    why.textContent = ` ${word("failed", { reason: command.reason ?? "" })} `;
    line.append(why, button("retry", () => retry(command)), button("discard", () => discard(command)));
  }
  return line;
}

/** @param {string} name @param {() => void} work */
function button(name, work) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = word(name);
  made.addEventListener("click", work);
  return made;
}

// MARK: - The page

/** What the server's page cannot do by itself. */
function prepare() {
  prepareVoice();
  preparePhotos();
  void preparePush();
  prepareLists();
  for (const share of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button.share"))) {
    share.hidden = !navigator.share;
    const text = () => document.querySelector("[data-test=summary]")?.textContent ?? "";
    share.onclick = () => navigator.share({ text: text() }).catch(() => undefined);
  }
}

async function begin() {
  prepare();
  document.addEventListener("kith-page", prepare);
  followPresses();
  for (const end of ["focusout", "reset", "toggle", "pause"]) document.addEventListener(end, () => setTimeout(refreshIfStale, 200), true);
  window.addEventListener("online", () => void drain());
  window.addEventListener("offline", sayOffline);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) void drain(); });
  onChange(({ sent, made, signedOut }) => {
    void showWaiting();
    for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll(`form[data-after="${made?.key}"]`))) {
      know(form, "ifUpdatedAt", made?.at ?? "");
      delete form.dataset.after;
    }
    if (sent) refreshSoon();
    if (signedOut) say(word("signed-out"));
  });
  void returnToPlace();
  await recoverRecordings().catch(() => undefined);
  await showWaiting();
  follow(() => void drain());
  void drain();
  await navigator.serviceWorker?.register(script("/sw.js")).catch(() => undefined);
  // Firefox asks the person, and answers when they have: nothing may wait for it.
  void navigator.storage?.persist?.().catch(() => false);
}

setInterval(() => {
  for (const clock of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".clock[data-since]"))) {
    const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(clock.dataset.since ?? "")) / 1000));
    clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }
}, 1000);

void begin();
