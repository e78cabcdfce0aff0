/** Loads a page as a document; nothing in it runs. It does not count as a use of the session. */
function load(url) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", url);
    request.setRequestHeader("X-Console-Live", "1");
    request.responseType = "document";
    request.onload = () =>
      request.status === 200 && request.response ? resolve(request.response) : reject();
    request.onerror = reject;
    request.send();
  });
}

/** In ms: events that come together lead to one look, and looks are no closer than this. */
const pauseMs = 400;

/**
 * Replaces the content of the element with `data-live` by that of the page now, until the page says no
 * more: whenever an event comes of the stream in `data-events`, else as often as it says in seconds.
 * Focus and open details of the viewer stay.
 */
export function follow(page, shown) {
  const live = page.querySelector("[data-live]");
  if (live === null) return;
  let isLooking = false;
  let isDue = false;

  /** Looks once more when something happened during a look, or while the viewer was at a part of it. */
  async function look() {
    if (isLooking || document.hidden) return void (isDue = true);
    isLooking = true;
    isDue = false;
    const fresh = await load(location.href).catch(() => null);
    const found = fresh?.getElementById(live.id);
    if (found && found.dataset.live === undefined) return location.reload();
    const isPlaying = [...live.querySelectorAll("audio")].some((audio) => !audio.paused);
    const isBusy = isPlaying || live.contains(document.activeElement);
    if (found && !isBusy) {
      replace(live, found, shown);
      tellStatus(fresh);
    }
    isDue ||= isBusy && found && found.innerHTML !== live.innerHTML;
    setTimeout(() => {
      isLooking = false;
      if (isDue && !document.hidden) look();
    }, isBusy ? 2000 : pauseMs);
  }
  const everySeconds = () => setInterval(look, Number(live.dataset.live) * 1000);

  page.addEventListener("visibilitychange", () => !document.hidden && isDue && look());
  if (!live.dataset.events) return everySeconds();
  const stream = new EventSource(live.dataset.events);
  stream.addEventListener("message", look);
  stream.addEventListener("open", look);
  stream.addEventListener("gap", look);
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) everySeconds();
  });
}

/** A live region announces what changes in it: screen readers do not announce the same text again. */
function tellStatus(fresh) {
  const here = document.querySelector("[data-live-status]");
  const text = here && fresh.getElementById(here.id)?.textContent;
  if (text && here.textContent !== text) here.textContent = text;
}

function replace(live, found, shown) {
  shown(found);
  if (found.innerHTML === live.innerHTML) return;
  const open = [...live.querySelectorAll("details")].map((one) => one.open);
  live.replaceChildren(...[...found.childNodes].map((node) => document.adoptNode(node)));
  live.querySelectorAll("details").forEach((one, at) => one.open = open[at] ?? false);
}
