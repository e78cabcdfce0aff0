const list = document.getElementById("tail");
const state = document.getElementById("tail-state");
const pause = document.getElementById("tail-pause");
const clear = document.getElementById("tail-clear");
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** Lines that the page keeps, and those that wait while it is paused. */
const most = 300;
let waiting = [];
let isPaused = false;

const make = (tag, name, text) => {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.textContent = text;
  return node;
};

/** An event as a line: time, text, look, and a link to its record. */
function lineOf({ type, change, sid, look, text, at, path }) {
  const line = make("li", look === "plain" ? "" : look, "");
  const time = make("time", "", clock.format(new Date(at ?? Date.now())));
  const what = make("span", "tail-type", change === "deleted" ? `${type} ${change}` : type);
  const said = make("span", "tail-text", text.replace(/\s+/g, " "));
  const way = make(path ? "a" : "span", "sid", sid);
  if (path) way.href = `${list.dataset.below}/${path}`;
  line.append(time, what, said, way);
  return line;
}

function show(events) {
  list.prepend(...events.map(lineOf).reverse());
  while (list.children.length > most) list.lastElementChild.remove();
}

function say(text) {
  if (state.textContent !== text) state.textContent = text;
}

const saySo = () =>
  say(
    isPaused
      ? `Paused. ${waiting.length} events wait.`
      : "Connected: events appear as they happen.",
  );

pause.addEventListener("click", () => {
  isPaused = !isPaused;
  pause.setAttribute("aria-pressed", String(isPaused));
  pause.textContent = isPaused ? "Go on" : "Pause";
  if (!isPaused) show(waiting.splice(0));
  saySo();
});
clear.addEventListener("click", () => {
  list.replaceChildren();
  waiting = [];
});
pause.disabled = clear.disabled = false;

const stream = new EventSource(list.dataset.events);
stream.addEventListener("open", saySo);
stream.addEventListener("message", ({ data }) => {
  const event = JSON.parse(data);
  if (!isPaused) return show([event]);
  waiting = [...waiting, event].slice(-most);
  saySo();
});
stream.addEventListener("gap", () => say("Some events may be missing."));
stream.addEventListener("error", () =>
  say(
    stream.readyState === EventSource.CLOSED
      ? "The stream ended. Load the page again."
      : "Connecting again…",
  ));
