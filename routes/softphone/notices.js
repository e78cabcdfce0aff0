/** Desktop notices of calls and messages, where the user allowed them. */

const isKnown = "Notification" in globalThis && globalThis.isSecureContext;

/** Returns true before the user was asked. */
export const mayAsk = () => isKnown && Notification.permission === "default";

/** Asks the user; call it after a click. */
export async function askForNotices() {
  if (mayAsk()) await Notification.requestPermission();
}

/** Shows a notice where the page is not in view; one with the same `tag` takes its place. */
export function notice(title, { body, tag }) {
  if (!isKnown || Notification.permission !== "granted" || document.hasFocus()) return;
  try {
    const shown = new Notification(title, { body, tag });
    shown.addEventListener("click", () => {
      globalThis.focus();
      shown.close();
    });
  } catch {
    // Telephones allow notices by service workers alone.
  }
}
