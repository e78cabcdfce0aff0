const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Writes every instant below a node in the viewer's zone. The title says which that is. */
export function showTimes(node) {
  for (const time of node.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    time.textContent = format.format(at);
    time.title = `${zone}; ${time.dateTime}`;
  }
}
