import { duration, shownAs } from "./words.js";

const $ = (id) => document.getElementById(id);

/** Shows the past calls; `call` repeats one of them. */
export function historyView(history, call) {
  const list = document.querySelector("#history .entries");
  const show = () => {
    const entries = history.entries();
    list.replaceChildren(...entries.map((entry) => row(entry, call)));
    $("no-history").hidden = entries.length > 0;
    $("clear").hidden = entries.length === 0;
  };
  $("clear").onclick = () => {
    history.clear();
    show();
    $("history-title").tabIndex = -1;
    $("history-title").focus();
  };
  show();
  return show;
}

/** Shows the demo numbers. */
export function demoView(numbers, call) {
  const rows = numbers.map(({ name, number }) =>
    entryButton(
      { title: name, detail: shownAs(number), words: ["Call ", ", "] },
      () => call(number),
    )
  );
  $("demo").hidden = rows.length === 0;
  document.querySelector("#demo .entries").replaceChildren(...rows);
}

function row({ direction, user, name, at, seconds, isMissed, notice }, call) {
  const day = new Date(at);
  const isToday = day.toDateString() === new Date().toDateString();
  const when = day.toLocaleString([], {
    ...!isToday && { day: "numeric", month: "short" },
    hour: "2-digit",
    minute: "2-digit",
  });
  const way = isMissed ? "Missed" : direction === "incoming" ? "Incoming" : "Outgoing";
  const came = seconds > 0 ? duration(seconds) : isMissed ? "" : notice;
  const detail = [way, when, came].filter(Boolean).join(" · ");
  const item = entryButton(
    { title: name, detail, words: ["Call ", " again. "], icon: direction },
    () => call(user),
  );
  item.classList.toggle("missed", isMissed);
  return item;
}

/** A button of a list; `words` stand for screen readers alone before the title and behind it. */
function entryButton({ title, detail, words, icon = "outgoing" }, onClick) {
  const [item, button, text] = ["li", "button", "span"].map((n) => document.createElement(n));
  const [name, small] = [document.createElement("b"), document.createElement("small")];
  button.type = "button";
  name.textContent = title;
  small.textContent = detail;
  const [before, between] = words.map(unseen);
  text.append(before, name, between, small);
  button.append(symbol(icon === "incoming" ? "i-in" : "i-out"), text);
  button.addEventListener("click", onClick);
  item.append(button);
  return item;
}

function unseen(words) {
  const span = document.createElement("span");
  span.className = "hidden";
  span.textContent = words;
  return span;
}

function symbol(id) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  svg.classList.add("icon");
  svg.ariaHidden = "true";
  use.setAttribute("href", `#${id}`);
  svg.append(use);
  return svg;
}
