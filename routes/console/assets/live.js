/** Loads a page as a document; nothing in it runs. */
function load(url) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", url);
    request.responseType = "document";
    request.onload = () =>
      request.status === 200 && request.response ? resolve(request.response) : reject();
    request.onerror = reject;
    request.send();
  });
}

/**
 * Replaces what stands in elements with `data-live` by what the page has now, as often as it says in
 * seconds, until the page says no more. What the viewer is at (focus, open details) stays.
 */
export function follow(page, shown) {
  const live = page.querySelector("[data-live]");
  if (live === null) return;
  const wait = () => setTimeout(turn, Number(live.dataset.live) * 1000);
  async function turn() {
    if (document.hidden) return wait();
    const fresh = await load(location.href).catch(() => null);
    const found = fresh?.getElementById(live.id);
    if (found && !live.contains(document.activeElement)) replace(live, found, shown);
    if (found && found.dataset.live === undefined) return location.reload();
    wait();
  }
  wait();
}

function replace(live, found, shown) {
  shown(found);
  if (found.innerHTML === live.innerHTML) return;
  const open = [...live.querySelectorAll("details")].map((one) => one.open);
  live.replaceChildren(...[...found.childNodes].map((node) => document.adoptNode(node)));
  live.querySelectorAll("details").forEach((one, at) => one.open = open[at] ?? false);
}
