import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { message } from "../../Sources/WebFiles/pages/form.js";

const vectors = JSON.parse(readFileSync(new URL("../vectors/forms.json", import.meta.url), "utf8"));

test("there are vectors of messages and of refusals", () => {
  assert.ok(vectors.some((vector) => "message" in vector) && vectors.some((vector) => "invalid" in vector));
});

for (const vector of vectors) {
  test(vector.case, () => {
    if ("invalid" in vector) {
      assert.throws(() => message(vector.fields, vector.zone), (error) => error instanceof RangeError && error.message === vector.invalid);
    } else {
      // As it is sent: an object without a prototype has the same text.
      assert.deepEqual(JSON.parse(JSON.stringify(message(vector.fields, vector.zone))), vector.message);
    }
    assert.equal({}.polluted, undefined);
  });
}

test("the fields of FormData", () => {
  const fields = new FormData();
  fields.append("record.note", "Tea");
  fields.append("record.tags[]", "a");
  assert.deepEqual(JSON.parse(JSON.stringify(message([...fields], "UTC"))), { record: { note: "Tea", tags: ["a"] } });
});
