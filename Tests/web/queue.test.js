import assert from "node:assert/strict";
import { test } from "node:test";
import { delay, next, outcome } from "../../Sources/WebFiles/pages/queue.js";

const command = (id, state = "waiting") => ({ id, key: `key ${id}`, path: "/kith.v1.Care/Record", message: {}, at: id, state });

test("the first that waits is next, and a refused one holds up nobody", () => {
  assert.equal(next([]), undefined);
  assert.equal(next([command(1), command(2)])?.id, 1);
  assert.equal(next([command(1, "failed"), command(2), command(3)])?.id, 2);
  assert.equal(next([command(1, "failed")]), undefined);
});

test("what an answer means", () => {
  for (const status of [200, 201, 204]) assert.deepEqual(outcome(status), { kind: "done" });
  for (const status of [400, 403, 404, 409, 410, 411, 413, 415, 422]) {
    assert.deepEqual(outcome(status, { message: "category is unknown." }), { kind: "failed", reason: "category is unknown." }, String(status));
  }
  assert.deepEqual(outcome(401, { message: "revoked" }), { kind: "signed-out" });
  for (const status of [0, 408, 429, 499, 500, 502, 503, 504]) assert.deepEqual(outcome(status), { kind: "later", after: 0 }, String(status));
  assert.deepEqual(outcome(429, {}, 7), { kind: "later", after: 7 });
  assert.deepEqual(outcome(503, { message: "The hub does not answer." }, 1), { kind: "later", after: 1 });
});

test("a refusal without a sentence has at least its number", () => assert.deepEqual(outcome(403, {}), { kind: "failed", reason: "403" }));

test("attempts wait longer and longer, to five minutes, and as long as the hub asks", () => {
  const waits = Array.from({ length: 12 }, (_, index) => delay(index + 1));
  assert.deepEqual(waits.slice(0, 4), [2000, 4000, 8000, 16_000]);
  assert.ok(waits.every((wait, index) => index === 0 || wait >= waits[index - 1]));
  assert.equal(waits.at(-1), 300_000);
  assert.equal(delay(1, 60), 60_000);
  assert.equal(delay(30, 1), 300_000);
  assert.equal(delay(5000), 300_000);
});
