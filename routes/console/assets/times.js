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
  for (const time of node.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    time.textContent = formats[time.dataset.part ?? "whole"].format(at);
    time.title = `${zone}; ${time.dateTime}`;
  }
  for (const tip of node.querySelectorAll("title[data-at]")) {
    const [, rest = ""] = tip.textContent.split(/: (.*)/s);
    tip.textContent = `${formats.tip.format(new Date(Number(tip.dataset.at)))}: ${rest}`;
  }
}
