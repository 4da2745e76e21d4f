// The page without the network: files and pages come from the house if it answers in time, else as they were last seen.

const FILES = [
  "app.js", "form.js", "icon.svg", "lists.js", "live.js", "offline.html", "page.css", "photos.js", "push.js", "queue.js",
  "recorder-worklet.js", "recorder.js", "sender.js", "store.js", "voice.js", "wav.js", "words.js", "zone.js",
].map((name) => `/files/${name}`);
const PATIENCE = 3000;
const MOST_PAGES = 200;
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

worker.addEventListener("install", (event) => {
  event.waitUntil(caches.open("files").then((cache) => cache.addAll([...FILES, "/manifest.webmanifest"])).then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  // Files to take away are not pages that were seen.
  if (event.request.method !== "GET" || url.origin !== location.origin || url.pathname.startsWith("/blobs/")) return;
  if (url.pathname.startsWith("/files/") || url.pathname === "/manifest.webmanifest") {
    event.respondWith(fromHouse(event.request, "files"));
  } else if (event.request.mode === "navigate" || event.request.headers.get("accept") === "text/html") {
    event.respondWith(fromHouse(event.request, "pages"));
  }
});

/** @param {Request} request @param {string} name of the cache */
async function fromHouse(request, name) {
  const cache = await caches.open(name);
  const signal = /** @type {any} */ (AbortSignal).timeout(PATIENCE);
  try {
    const answer = await fetch(request, { signal });
    // Something on the way to the house, such as the login page of a network, has no such field. It is never kept, and never a file.
    const isHouse = answer.headers.has("Kith-House");
    // Signed out: what this device has seen goes. What it has not sent yet is not here.
    if (isHouse && answer.status === 401) await caches.delete("pages");
    if (isHouse && answer.ok) {
      // One that breaks off is no answer, and what was seen before is more than half of this one.
      await answer.clone().arrayBuffer();
      // On a full disk nothing is kept for later, and the answer is shown all the same.
      await keep(cache, request, answer.clone(), name).catch(() => undefined);
    }
    if (answer.status < 500 && (isHouse || name === "pages")) return answer;
    return await cache.match(request.url) ?? answer;
  } catch {
    return await cache.match(request.url) ?? await caches.match("/files/offline.html") ?? Response.error();
  }
}

/**
 * Keeps an answer for times without the network.
 * @param {Cache} cache
 * @param {Request} request
 * @param {Response} answer
 * @param {string} name of the cache
 */
async function keep(cache, request, answer, name) {
  await cache.put(request.url, answer);
  if (name === "pages") await limit(cache);
}

/**
 * Forgets the pages that were seen first.
 * @param {Cache} cache
 */
async function limit(cache) {
  const seen = await cache.keys();
  for (const request of seen.slice(0, Math.max(0, seen.length - MOST_PAGES))) await cache.delete(request);
}

// MARK: - Reminders

worker.addEventListener("push", (event) => event.waitUntil(remind()));

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(worker.clients.openWindow("/"));
});

/** Shows what is due: the message says nothing, so the house is asked. A browser demands that something is shown in any case. */
async function remind() {
  const [title, unknown] = navigator.language.startsWith("ja")
    ? ["お知らせ", "Kithからのお知らせがあります。"] : ["Reminder", "Kith has something for you. Open the page to see it."];
  const due = await dueNow().catch(() => []);
  await worker.registration.showNotification(title, {
    body: due.length > 0 ? due.join("\n") : unknown, tag: "kith-due", renotify: true, icon: "/files/icon.svg" });
}

/**
 * The titles of what is due.
 * @returns {Promise<string[]>}
 */
async function dueNow() {
  const signal = /** @type {any} */ (AbortSignal).timeout(5000);
  const answer = await fetch("/kith.v1.Reminders/Status?message=%7B%7D", { signal, cache: "no-store" });
  if (!answer.ok) return [];
  return ((await answer.json()).due ?? []).map((/** @type {{title?: string}} */ reminder) => reminder.title ?? "");
}
