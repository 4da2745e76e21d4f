// Reminders on this device by Web Push. The message itself is empty: sw.js asks the house what is due.
import { refresh } from "./live.js";
import { isHouse } from "./sender.js";
import { say, word } from "./words.js";

/** Shows what this browser can do, and whether it is reminded already. */
export async function preparePush() {
  const section = /** @type {HTMLElement | null} */ (document.querySelector("section.push"));
  if (!section || !("PushManager" in window) || !("serviceWorker" in navigator)) return;
  const on = /** @type {HTMLButtonElement} */ (section.querySelector(".push-on"));
  const off = /** @type {HTMLButtonElement} */ (section.querySelector(".push-off"));
  const state = /** @type {HTMLElement} */ (section.querySelector(".push-state"));
  const worker = await navigator.serviceWorker.ready;
  // The house has to know of it as well: it forgets a subscription that has ended.
  const isOn = section.dataset.on === "1" && await worker.pushManager.getSubscription() !== null;
  [on.hidden, off.hidden] = [isOn, !isOn];
  state.textContent = word(isOn ? "push-is-on" : Notification.permission === "denied" ? "push-denied" : "push-ready");
  on.onclick = () => void subscribe(worker.pushManager).then(() => refresh(), (reason) => {
    state.textContent = reason instanceof Refusal ? reason.message
      : word(Notification.permission === "denied" ? "push-denied" : "push-failed");
  });
  off.onclick = () => void unsubscribe(worker.pushManager).then(() => refresh(), (reason) => {
    say(reason instanceof Refusal ? reason.message : word("hub-away"));
  });
}

/** What the house answered. */
class Refusal extends Error {}

/**
 * Makes a key of this browser's own, by which its push service knows the house.
 * @param {PushManager} manager
 */
async function subscribe(manager) {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const [shown, secret] = await Promise.all([
    crypto.subtle.exportKey("raw", pair.publicKey), crypto.subtle.exportKey("pkcs8", pair.privateKey)]);
  // One with another key stands in the way of a new one.
  await (await manager.getSubscription())?.unsubscribe();
  const subscription = await manager.subscribe({ userVisibleOnly: true, applicationServerKey: shown });
  try {
    await call("Channels/Subscribe", { endpoint: subscription.endpoint, key: btoa(String.fromCharCode(...new Uint8Array(secret))) });
  } catch (reason) {
    await subscription.unsubscribe();
    throw reason;
  }
}

/** @param {PushManager} manager */
async function unsubscribe(manager) {
  await call("Channels/Unsubscribe", {});
  // The house sends nothing more, whatever the browser keeps.
  await (await manager.getSubscription())?.unsubscribe().catch(() => undefined);
}

/** @param {string} method @param {Record<string, string>} message */
async function call(method, message) {
  const answer = await fetch(`/kith.v1.${method}`, {
    method: "POST", headers: { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() },
    body: JSON.stringify(message) });
  if (!isHouse(answer)) throw new TypeError("an answer of something else");
  const body = await answer.json().catch(() => ({}));
  // Ended already, as when an admin removed it.
  if (!answer.ok && !(method === "Channels/Unsubscribe" && answer.status === 404)) throw new Refusal(body.message ?? String(answer.status));
}

/** Ends what the browser itself has of a subscription: the house ends its part with the device. */
export async function endPush() {
  const worker = await navigator.serviceWorker?.getRegistration();
  await (await worker?.pushManager?.getSubscription())?.unsubscribe();
}
