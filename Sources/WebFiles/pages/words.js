// The words that scripts show. The server puts them into the page, in its language.

/**
 * A text by its name.
 * @param {string} name
 * @param {Record<string, string | number>} values for its places: `{count}`
 */
export function word(name, values = {}) {
  const words = /** @type {HTMLTemplateElement | null} */ (document.getElementById("words"));
  const text = words?.content.querySelector(`[data-word="${name}"]`)?.textContent ?? name;
  return Object.entries(values).reduce((all, [place, value]) => all.replaceAll(`{${place}}`, String(value)), text);
}

/**
 * Says something in the line of the state, which screen readers read aloud.
 * @param {string} text
 */
export function say(text) {
  const state = document.getElementById("state");
  if (state && state.textContent !== text) state.textContent = text;
}
