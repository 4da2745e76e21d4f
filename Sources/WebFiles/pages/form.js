// From the fields of a form to the message of a command. The same rule is in Sources/Pages/Frame/FormMessage.swift; both are tried with
// Tests/vectors/forms.json.
import { instant } from "./zone.js";

const NOT_PART = ["form", "key", "next"];
const DEEPEST = 4;

/**
 * Makes the message of a form.
 * @param {Iterable<[string, string]>} fields names and texts, in their order
 * @param {string} zone the household's time zone, for fields whose name ends with `:time`
 * @returns {Record<string, unknown>} the message, as JSON has it; its objects have no prototype
 * @throws {RangeError} with the name of a field that is no name, or whose text is no time
 */
export function message(fields, zone) {
  /** @type {Record<string, unknown>} */
  const root = Object.create(null);
  for (const [name, value] of fields) {
    if (value === "" || NOT_PART.includes(name)) continue;
    const [, path, list = "", way] = /^([^:]*?)(\[\])?(?::(.*))?$/su.exec(name) ?? [];
    const parts = path?.split(".") ?? [];
    const names = parts.map((part, place) => place < parts.length - 1 ? part.replace(/\[\d+\]$/u, "") : part);
    if (parts.length > DEEPEST || !names.every(isName)) throw new RangeError(name);
    put(root, parts, read(value, way ?? list, zone, name), name);
  }
  return root;
}

/** @param {string} text */
const isName = (text) => /^[A-Za-z][A-Za-z0-9]{0,63}$/u.test(text);

/**
 * @param {string} value
 * @param {string} kind
 * @param {string} zone
 * @param {string} name for the error
 */
function read(value, kind, zone, name) {
  switch (kind) {
    case "": return value;
    case "[]": return [value];
    case "bool": return value === "true" || value === "on";
    case "lines": return value.split(/[\n\v\f\r\u0085\u2028\u2029]/u).filter((line) => line !== "");
    case "words": return value.split(/\p{White_Space}+/u).filter((word) => word !== "");
    case "time":
      try { return instant(value, zone); } catch { throw new RangeError(name); }
    default: throw new RangeError(name);
  }
}

/**
 * Puts a value at a path, where `messages[0]` is an entry of a list; entries of one list are joined, and of two other values the first counts.
 * @param {Record<string, any>} object
 * @param {string[]} path
 * @param {unknown} value
 * @param {string} field for the error
 */
function put(object, [part = "", ...rest], value, field) {
  const [, list, number] = /^(.+)\[(\d+)\]$/u.exec(part) ?? [];
  if (list !== undefined) {
    const entries = object[list] ??= [];
    // Each entry has all those before it.
    if (!Array.isArray(entries) || Number(number) > entries.length) throw new RangeError(field);
    put(entries[Number(number)] ??= Object.create(null), rest, value, field);
    return;
  }
  const old = object[part];
  if (rest.length > 0) {
    const isObject = typeof old === "object" && !Array.isArray(old);
    put(isObject ? old : object[part] = Object.create(null), rest, value, field);
  } else if (Array.isArray(old) && Array.isArray(value)) {
    object[part] = [...old, ...value];
  } else {
    object[part] ??= value;
  }
}
