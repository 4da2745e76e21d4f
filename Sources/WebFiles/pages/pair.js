// Takes the code out of the address (/pair#12345678) into the form, and out of the history.
const code = decodeURIComponent(location.hash.slice(1));
if (/^[0-9 -]{8,12}$/.test(code)) {
  /** @type {HTMLInputElement} */ (document.getElementById('code')).value = code;
  history.replaceState(null, '', location.pathname);
}
