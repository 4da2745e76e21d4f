// The page without the network: pages come from the house if it answers in time, else as they were last seen. Files are those of one
// version of the program, all of them or none.

/** Where the scripts of this version are: `/files/0123456789abcdef/`. */
const SCRIPTS = new URL(location.href).searchParams.get("scripts") ?? "/files/";
const FILES = [
  ...[
    "app.js", "form.js", "lists.js", "live.js", "photos.js", "push.js", "queue.js", "recorder-worklet.js", "recorder.js", "sender.js",
    "store.js", "voice.js", "wav.js", "words.js", "zone.js",
  ].map((name) => SCRIPTS + name),
  "/files/icon.svg", "/files/offline.html", "/files/page.css", "/manifest.webmanifest",
];
/** What the name of each cache of files begins with. */
const VERSION = "files";
/** How many versions are kept: pages that were seen before an update need the scripts of then. */
const MOST_VERSIONS = 3;
/** How many milliseconds the house has for a page that was seen, and for one that was not. */
const PATIENCE = [3000, 20_000];
const MOST_PAGES = 200;
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

worker.addEventListener("install", (event) => {
  event.waitUntil(keepFiles().then(() => worker.skipWaiting()));
});

/** Keeps the files of this version once all have come. Throws if something on the way to the house answers. */
async function keepFiles() {
  const answers = await Promise.all(FILES.map(async (file) => {
    const answer = await fetch(file);
    if (!answer.ok || !isHouse(answer)) throw new TypeError(file);
    await answer.clone().arrayBuffer();
    return answer;
  }));
  const cache = await caches.open(VERSION + SCRIPTS);
  await Promise.all(answers.map((answer, index) => cache.put(FILES[index], answer)));
}

/**
 * Whether the house gave an answer, and nothing on the way to it, such as the login page of a network.
 * @param {Response} answer
 */
const isHouse = (answer) => answer.headers.has("Kith-House");

worker.addEventListener("activate", (event) => event.waitUntil(forgetFiles().then(() => worker.clients.claim())));

/** Forgets the files of versions of long ago. */
async function forgetFiles() {
  const others = (await caches.keys()).filter((name) => name.startsWith(VERSION) && name !== VERSION + SCRIPTS);
  // The oldest are named first.
  for (const name of others.slice(0, Math.max(0, others.length + 1 - MOST_VERSIONS))) await caches.delete(name);
}

worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  // Files to take away are not pages that were seen.
  if (event.request.method !== "GET" || url.origin !== location.origin || url.pathname.startsWith("/blobs/")) return;
  if (url.pathname.startsWith("/files/") || url.pathname === "/manifest.webmanifest") {
    event.respondWith(file(event.request));
  } else if (event.request.mode === "navigate" || event.request.headers.get("accept") === "text/html") {
    event.respondWith(page(event.request));
  }
});

/**
 * A file as this version has it, or as the version had it whose page asks for it.
 * @param {Request} request
 */
async function file(request) {
  const own = await caches.open(VERSION + SCRIPTS);
  return await own.match(request.url) ?? await caches.match(request.url) ?? await fetch(request);
}

/** @param {Request} request */
async function page(request) {
  const cache = await caches.open("pages");
  const seen = await cache.match(request.url);
  const signal = /** @type {any} */ (AbortSignal).timeout(PATIENCE[seen ? 0 : 1]);
  try {
    const answer = await fetch(request, { signal });
    if (!isHouse(answer)) {
      // A login page is shown in the place of a page, so that somebody can log in.
      if (answer.status < 500) return answer;
      throw new TypeError("an answer of something else");
    }
    // Signed out: what this device has seen goes. What it has not sent yet is not here.
    if (answer.status === 401) await caches.delete("pages");
    if (answer.ok) {
      // One that breaks off is no answer, and what was seen before is more than half of this one.
      await answer.clone().arrayBuffer();
      // On a full disk nothing is kept for later, and the answer is shown all the same.
      await keep(cache, request, answer.clone()).catch(() => undefined);
    }
    if (answer.status < 500) return answer;
    return seen ?? answer;
  } catch {
    return seen ?? await caches.match("/files/offline.html") ?? Response.error();
  }
}

/**
 * Keeps a page for times without the network, and forgets those that were seen first.
 * @param {Cache} cache
 * @param {Request} request
 * @param {Response} answer
 */
async function keep(cache, request, answer) {
  await cache.put(request.url, answer);
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
