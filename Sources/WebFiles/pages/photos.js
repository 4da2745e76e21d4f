// Pictures of a call: chosen or taken, made as small as the house keeps them, and held until their form is sent.
import { say, word } from "./words.js";

/** Pixels of the longer side. */
const LARGEST = 2048;
const MOST = 10;
const QUALITY = 0.9;

/** @type {WeakMap<HTMLFormElement, ArrayBuffer[]>} */
const chosen = new WeakMap();
/** @type {Promise<void>} the pictures that are being read */
let reading = Promise.resolve();

/** Shows the fields for pictures: without scripts, a form has none. */
export function preparePhotos() {
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll(".photos input[type=file]"))) {
    const form = field.form;
    const around = /** @type {HTMLElement} */ (field.closest(".photos"));
    if (!form) continue;
    for (const hidden of [around, field.closest("details")]) if (hidden) hidden.hidden = false;
    field.onchange = () => {
      const files = [...field.files ?? []];
      // Somebody who takes one picture after the other adds each to those before it.
      field.value = "";
      reading = reading.then(() => take(files, form, around));
    };
  }
}

/**
 * The pictures that were chosen in a form, as JPEG.
 * @param {HTMLFormElement} form
 */
export async function photosOf(form) {
  await reading;
  return chosen.get(form) ?? [];
}

/**
 * Takes pictures that were sent out of their form.
 * @param {HTMLFormElement} form
 * @param {ArrayBuffer[]} sent
 */
export function forgetPhotos(form, sent) {
  chosen.set(form, (chosen.get(form) ?? []).filter((bytes) => !sent.includes(bytes)));
  const around = /** @type {HTMLElement | null} */ (form.querySelector(".photos"));
  if (around) show(form, around);
}

/** @param {File[]} files @param {HTMLFormElement} form @param {HTMLElement} around */
async function take(files, form, around) {
  /** @type {string[]} */
  const refused = [];
  for (const file of files) {
    try {
      if ((chosen.get(form) ?? []).length >= MOST) throw new RangeError(word("photo-many", { most: MOST }));
      const bytes = await jpeg(file);
      // Pictures that were sent, or taken away, while this one was read are not chosen any more.
      chosen.set(form, [...(chosen.get(form) ?? []), bytes]);
    } catch (reason) {
      refused.push(reason instanceof RangeError ? reason.message : word("photo-unreadable", { name: file.name }));
    }
  }
  show(form, around);
  const fault = /** @type {HTMLElement} */ (around.querySelector("[role=alert]"));
  fault.textContent = [...new Set(refused)].join(" ");
}

/**
 * A picture as it is kept: a JPEG of at most 2048 pixels, upright. One that is such already stays as it is.
 * @param {File} file
 */
async function jpeg(file) {
  // "from-image" turns it as the camera was held. TypeScript 4.8 knows "none" and "flipY" alone.
  const picture = await createImageBitmap(file, { imageOrientation: /** @type {any} */ ("from-image") });
  const scale = Math.min(1, LARGEST / Math.max(picture.width, picture.height));
  if (scale === 1 && file.type === "image/jpeg") {
    picture.close();
    return file.arrayBuffer();
  }
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.width, picture.height].map((side) => Math.max(1, Math.round(side * scale)));
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  // What is transparent is white, and not black.
  pen.fillStyle = "white";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  /** @type {Blob | null} */
  const made = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
  if (!made) throw new Error("the picture is too large for this browser");
  return made.arrayBuffer();
}

/**
 * Shows what was chosen; a tap on a picture takes it away again.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} around
 */
function show(form, around) {
  const list = /** @type {HTMLElement} */ (around.querySelector(".chosen"));
  for (const old of list.querySelectorAll("img")) URL.revokeObjectURL(old.src);
  list.replaceChildren(...(chosen.get(form) ?? []).map((bytes, index) => {
    const picture = document.createElement("img");
    picture.src = URL.createObjectURL(new Blob([bytes], { type: "image/jpeg" }));
    picture.alt = word("photo-remove", { number: index + 1 });
    const button = document.createElement("button");
    button.type = "button";
    button.append(picture);
    button.addEventListener("click", () => {
      chosen.set(form, (chosen.get(form) ?? []).filter((other) => other !== bytes));
      show(form, around);
      say(word("photo-removed"));
      /** @type {HTMLElement | null} */ (around.querySelector("input"))?.focus();
    });
    return button;
  }));
}
