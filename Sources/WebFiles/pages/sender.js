// Sends what waits, one command after the other, from one tab at a time.
import { attached, based, corrected, delay, next, onceAtATime, outcome } from "./queue.js";
import * as store from "./store.js";
import { wav } from "./wav.js";
import { word } from "./words.js";

/** @typedef {import("./queue.js").Waiting} Waiting */

const changes = new EventTarget();
let attempts = 0;
/** @type {number | undefined} */
let timer;

/**
 * @typedef {object} News
 * @property {Waiting} [sent]
 * @property {{key: string, at: string}} [made] which correction has arrived, and the time of the record that it made
 * @property {boolean} [signedOut]
 */

/**
 * Calls back when what waits has changed.
 * @param {(news: News) => void} listener
 */
export function onChange(listener) {
  changes.addEventListener("change", (event) => listener(/** @type {CustomEvent} */ (event).detail));
}

/** The other tabs of this device: any of them may be the one that sends. */
const tabs = "BroadcastChannel" in window ? new BroadcastChannel("kith-waiting") : undefined;
tabs?.addEventListener("message", ({ data }) => changes.dispatchEvent(new CustomEvent("change", { detail: data })));

/** @param {News} detail */
function tell(detail) {
  changes.dispatchEvent(new CustomEvent("change", { detail }));
  tabs?.postMessage(detail);
}

/**
 * Keeps a command on this device, and then sends it.
 * @param {Omit<Waiting, "state">} command
 * @param {ArrayBuffer[]} photos JPEG
 */
export async function add(command, photos = []) {
  await store.keep({ ...command, state: "waiting", ...(photos.length > 0 ? { photos: photos.length } : {}) }, photos);
  tell({});
  void drain();
}

/**
 * Sends one that was refused again.
 * @param {Waiting} command
 */
export async function retry(command) {
  await store.change({ ...command, state: "waiting", reason: undefined });
  tell({});
  await drain();
}

/**
 * Forgets one that was refused.
 * @param {Waiting} command
 */
export async function discard(command) {
  await store.forget(command);
  tell({});
}

/** Sends everything that waits; ends when nothing waits or nothing can be sent now. */
export const drain = onceAtATime(() => withLock(sendAll));

/** @param {() => Promise<void>} work */
async function withLock(work) {
  // Another tab that sends already does the work of this one.
  if (navigator.locks) await navigator.locks.request("kith-sender", work); else await work();
}

async function sendAll() {
  clearTimeout(timer);
  for (let command = next(await store.commands()); command; command = next(await store.commands())) {
    // Without its time it is not sent: the same key must have the same message.
    const ready = await timed(command).catch(() => undefined);
    /** @type {import("./queue.js").Outcome} */
    const result = ready ? await send(ready) : { kind: "later", after: 0 };
    switch (result.kind) {
      case "done":
        attempts = 0;
        if (result.made) await passOn({ key: command.key, at: result.made });
        await store.forget(command);
        tell({ sent: command });
        break;
      case "failed":
        attempts = 0;
        await store.change({ ...(ready ?? command), state: "failed", reason: result.reason });
        tell({});
        break;
      case "signed-out":
        tell({ signedOut: true });
        return;
      case "later":
        attempts += 1;
        timer = window.setTimeout(() => void drain(), delay(attempts, result.after));
        return;
    }
  }
}

/**
 * Tells corrections that were made on top of one that has arrived what it made.
 * @param {{key: string, at: string}} made
 */
async function passOn(made) {
  // Forms first: what they send from here on knows it already, and what they sent before waits.
  tell({ made });
  for (const command of await store.commands()) if (command.after === made.key) await store.change(based(command, made.at));
}

/** @type {{ahead: number, offset: number} | undefined} */
let clock;

/** How far the clock of the house is ahead of this device's, in milliseconds; asked once for as long as nobody sets this one. */
async function ahead() {
  const offset = Date.now() - performance.now();
  if (clock && Math.abs(clock.offset - offset) < 1000) return clock.ahead;
  const began = Date.now();
  const answer = await health();
  const house = Date.parse(answer.headers.get("Date") ?? "");
  clock = { ahead: Number.isNaN(house) ? 0 : house - (began + Date.now()) / 2, offset };
  return clock.ahead;
}

/**
 * The command as it is sent: its time by the clock of the house. Kept before, so that it is the same the next time.
 * @param {Waiting} command
 */
async function timed(command) {
  if (!command.noted) return command;
  const changed = corrected(command, await ahead());
  await store.change(changed);
  return changed;
}

/** @param {Waiting} command @returns {Promise<import("./queue.js").Outcome>} */
async function send(command) {
  try {
    const files = await filesOf(command);
    if (files.length < (command.hasSound ? 1 : 0) + (command.photos ?? 0)) return { kind: "failed", reason: word("files-gone") };
    const answer = await sendWhole(command, files);
    // Without its body an accepted command is sent again: those that were made on top of it need what it made.
    const body = await answer.json().catch((fault) => { if (answer.ok) throw fault; return {}; });
    return outcome(answer.status, body, Number(answer.headers.get("Retry-After")) || 0);
  } catch {
    return outcome(0);
  }
}

/**
 * Whether the house gave an answer, and nothing on the way to it, such as the login page of a network.
 * @param {Response} answer
 */
export const isHouse = (answer) => answer.headers.has("Kith-House");

/** What the house says of itself; throws if something else answers, or nothing. */
async function health() {
  const answer = await fetch("/healthz", { cache: "no-store", redirect: "error" });
  if (!isHouse(answer)) throw new TypeError("an answer of something else");
  return answer;
}

/**
 * Asks the house; throws if something on the way to it answers that all is well, or that nobody is signed in.
 * @param {string} path
 * @param {RequestInit} options
 * @param {boolean} isAgain whether it was refused by something else before
 * @returns {Promise<Response>}
 */
async function ask(path, options, isAgain = false) {
  const answer = await fetch(path, { cache: "no-store", redirect: "error", ...options });
  // From 500 on, whatever answers, the command waits.
  if (isHouse(answer) || answer.status >= 500) return answer;
  // If the house answers all the same, a proxy of the household has refused this command, such as one that is too large for it: no waiting
  // mends that, and the others go on. A network that wants a login lets nothing through.
  if (answer.ok || answer.status === 401) throw new TypeError("an answer of something else");
  await health();
  // While the house starts, a proxy may have refused everything.
  return isAgain ? answer : ask(path, options, true);
}

/**
 * Sends a command with its files: a spoken entry of care in one request, else each file before the command that names it.
 * @param {Waiting} command
 * @param {Blob[]} files
 */
async function sendWhole(command, files) {
  const keyed = { method: "POST", headers: { "Content-Type": files[0]?.type ?? "", "Idempotency-Key": command.key } };
  if (command.path === "/care/voice") {
    return ask(`${command.path}?message=${encodeURIComponent(JSON.stringify(command.message))}`, { ...keyed, body: files[0] });
  }
  const attachments = [];
  for (const file of files) {
    const bytes = await new Response(file).arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const stored = await ask(`/blobs/${sha256}`, { method: "PUT", body: bytes });
    if (!stored.ok) return stored;
    attachments.push({ sha256, size: String(bytes.byteLength), mediaType: file.type });
  }
  const message = files.length > 0 ? attached(command.message, attachments) : command.message;
  return ask(command.path, {
    ...keyed, headers: { ...keyed.headers, "Content-Type": "application/json" }, body: JSON.stringify(message) });
}

/** @param {Waiting} command */
async function filesOf(command) {
  const files = [];
  const pieces = command.hasSound ? (await store.piecesOf(command.key)).map((piece) => piece.samples) : [];
  if (pieces.length > 0) {
    files.push(command.soundType ? new Blob(pieces, { type: command.soundType }) : wav(/** @type {Int16Array[]} */ (pieces)));
  }
  const photos = command.photos ? await store.photosOf(command.key) : [];
  return [...files, ...photos.map(({ bytes }) => new Blob([bytes], { type: "image/jpeg" }))];
}
