const formats = {
  whole: new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" }),
  day: new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }),
  time: new Intl.DateTimeFormat(undefined, { timeStyle: "short" }),
  clock: new Intl.DateTimeFormat(undefined, { timeStyle: "medium" }),
  tip: new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }),
};
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * Writes every instant below a node in the viewer's zone: those of `time`, whose title says which zone
 * that is, and those of the tips of charts.
 */
export function showTimes(node) {
  for (const time of node.querySelectorAll("time[data-running]")) {
    // The clocks of service and viewer may differ: the page has the time of the former.
    time.dataset.since = String(
      Date.now() - (Number(time.dataset.running) - Date.parse(time.dateTime)),
    );
  }
  countRunning(node);
  for (const time of node.querySelectorAll("time[datetime]:not([data-running])")) {
    const at = new Date(time.dateTime);
    time.textContent = formats[time.dataset.part ?? "whole"].format(at);
    time.title = `${zone}; ${time.dateTime}`;
  }
  for (const tip of node.querySelectorAll("title[data-at]")) {
    const [, rest = ""] = tip.textContent.split(/: (.*)/s);
    tip.textContent = `${formats.tip.format(new Date(Number(tip.dataset.at)))}: ${rest}`;
  }
}

const two = (value) => String(Math.floor(value)).padStart(2, "0");

/** Writes the running times below a node, as 1:24. */
function countRunning(node) {
  for (const time of node.querySelectorAll("time[data-since]")) {
    const total = Math.max(0, Date.now() - Number(time.dataset.since)) / 1_000;
    const [h, min] = [Math.floor(total / 3_600), Math.floor(total / 60) % 60];
    const text = h === 0 ? `${min}:${two(total % 60)}` : `${h}:${two(min)}:${two(total % 60)}`;
    if (time.textContent !== text) time.textContent = text;
  }
}

/** Counts all running times of a page on, each second. */
export function keepRunning(page) {
  if (page.querySelector("[data-live]") !== null) setInterval(() => countRunning(page), 1_000);
}
