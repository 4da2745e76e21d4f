// From the fields of a form to the message of a command. The same rule is in Sources/Pages/Frame/FormMessage.swift; both are tried with
// Tests/vectors/forms.json.
import { instant } from "./zone.js";

const NOT_PART = ["form", "key", "next"];

/**
 * Makes the message of a form.
 * @param {Iterable<[string, string]>} fields names and texts, in their order
 * @param {string} zone the household's time zone, for fields whose name ends with `:time`
 * @returns {Record<string, unknown>} the message, as JSON has it
 * @throws {RangeError} if a time is none
 */
export function message(fields, zone) {
  const root = {};
  for (const [name, value] of fields) {
    if (value === "" || NOT_PART.includes(name)) continue;
    const [path, kind = ""] = name.split(":", 2);
    const isList = path.endsWith("[]");
    put(root, (isList ? path.slice(0, -2) : path).split("."), read(value, isList ? "list" : kind, zone));
  }
  return root;
}

/**
 * @param {string} value
 * @param {string} kind
 * @param {string} zone
 */
function read(value, kind, zone) {
  switch (kind) {
    case "list": return [value];
    case "bool": return value === "true" || value === "on";
    case "time": return instant(value, zone);
    case "lines": return value.split(/\r\n|\r|\n/u).filter((line) => line !== "");
    case "words": return value.split(/\s+/u).filter((word) => word !== "");
    default: return value;
  }
}

/**
 * Puts a value at a path, where `messages[0]` is an entry of a list; entries of one list are joined, and of two other values the first counts.
 * @param {Record<string, any>} object
 * @param {string[]} path
 * @param {unknown} value
 */
function put(object, [name, ...rest], value) {
  const entry = /^(\w+)\[(\d+)\]$/u.exec(name);
  if (entry) {
    const list = object[entry[1]] ??= [];
    put(list[Number(entry[2])] ??= {}, rest, value);
  } else if (rest.length > 0) {
    object[name] ??= {};
    put(object[name], rest, value);
  } else if (Array.isArray(object[name]) && Array.isArray(value)) {
    object[name] = [...object[name], ...value];
  } else {
    object[name] ??= value;
  }
}
