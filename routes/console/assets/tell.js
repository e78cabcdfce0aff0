/**
 * Leads the focus to what a page says first: what was done, or what was wrong. Screen readers then read
 * it, and the keyboard goes on from there. A field that a page gives the focus to keeps it.
 */
export function tellFirst(page) {
  if (page.querySelector("[autofocus]") !== null) return; // A browser may give it the focus later.
  page.querySelector("main > .notice, main > .problem")?.focus({ preventScroll: true });
}
