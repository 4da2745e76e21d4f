// The page without the network: files and pages come from the house if it answers in time, else as they were last seen.

const FILES = [
  "app.js", "form.js", "icon.svg", "lists.js", "live.js", "offline.html", "page.css", "photos.js", "push.js", "queue.js",
  "recorder-worklet.js", "recorder.js", "sender.js", "store.js", "voice.js", "wav.js", "words.js", "zone.js",
].map((name) => `/files/${name}`);
const PATIENCE = 3000;
const MOST_PAGES = 200;
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

worker.addEventListener("install", (event) => {
  event.waitUntil(keepFiles([...FILES, "/manifest.webmanifest"]).then(() => worker.skipWaiting()));
});

/**
 * Keeps files once all are there: those of two versions do not fit each other. Throws if something on the way to the house answers.
 * @param {string[]} files
 */
async function keepFiles(files) {
  const answers = await Promise.all(files.map(async (file) => {
    const answer = await fetch(file);
    if (!answer.ok || !isHouse(answer)) throw new TypeError(file);
    await answer.clone().arrayBuffer();
    return answer;
  }));
  const cache = await caches.open("files");
  await Promise.all(answers.map((answer, index) => cache.put(files[index], answer)));
}

/**
 * Whether the house gave an answer, and nothing on the way to it, such as the login page of a network.
 * @param {Response} answer
 */
const isHouse = (answer) => answer.headers.has("Kith-House");

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
    if (!isHouse(answer)) {
      // A login page is shown in the place of a page, so that somebody can log in.
      if (name === "pages" && answer.status < 500) return answer;
      throw new TypeError("an answer of something else");
    }
    // Signed out: what this device has seen goes. What it has not sent yet is not here.
    if (answer.status === 401) await caches.delete("pages");
    if (answer.ok) {
      // One that breaks off is no answer, and what was seen before is more than half of this one.
      await answer.clone().arrayBuffer();
      // On a full disk nothing is kept for later, and the answer is shown all the same.
      await keep(cache, request, answer.clone(), name).catch(() => undefined);
    }
    if (answer.status < 500) return answer;
    return await cache.match(request.url) ?? answer;
  } catch {
    const page = name === "pages" ? "/files/offline.html" : request.url;
    return await cache.match(request.url) ?? await caches.match(page) ?? Response.error();
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
