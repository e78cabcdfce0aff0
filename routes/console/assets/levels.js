/** In dBov: the least level of speech, and the least that a meter shows. */
const [speech, quietest] = [-45, -60];

/** Calls of one stream at most. */
const most = 100;

/** The levels that came last, by the Sid of the call. */
const levels = new Map();

let stream;
let followed = "";

/** Draws the meters of a part of the page, which stands in it from now on, and follows their calls. */
export function showLevels(part) {
  const meters = [...part.querySelectorAll("[data-level]")];
  meters.forEach(draw);
  const url = document.querySelector("[data-levels]")?.dataset.levels;
  if (url) followCalls(url, meters.map((meter) => meter.dataset.level));
}

function draw(meter) {
  const level = levels.get(meter.dataset.level);
  const isKnown = level !== undefined;
  const shown = Math.max(quietest, level ?? quietest);
  const speaks = isKnown && level >= speech;
  meter.classList.toggle("known", isKnown);
  meter.classList.toggle("speaks", speaks);
  meter.setAttribute("aria-valuenow", String(shown));
  meter.setAttribute("aria-valuetext", !isKnown ? "not measured" : speaks ? "speaks" : "silent");
  meter.style.setProperty("--level", String((shown - quietest) / -quietest));
}

/** Opens a stream of the calls in place of the one before; none while the page is hidden. */
function followCalls(url, calls) {
  const wanted = document.hidden ? "" : [...new Set(calls)].toSorted().slice(0, most).join();
  if (wanted === followed) return;
  followed = wanted;
  stream?.close();
  if (wanted === "") return;
  stream = new EventSource(`${url}?CallSid=${wanted}`);
  stream.addEventListener("message", ({ data }) => {
    levels.clear();
    for (const { call_sid, level } of JSON.parse(data).levels) levels.set(call_sid, level);
    document.querySelectorAll("[data-level]").forEach(draw);
  });
}

if (document.querySelector("[data-levels]")) {
  document.addEventListener("visibilitychange", () => showLevels(document));
}
