import { askForNotices, mayAsk } from "./notices.js";
import { LONGEST } from "./texts.js";
import { shownAs } from "./words.js";

const $ = (id) => document.getElementById(id);
const form = document.querySelector("#thread form");
const [to, body] = [$("text-to"), $("text-body")];

/**
 * Shows the conversations, and one of them as a thread. `send` sends a text to a peer, and returns
 * the text of a problem; `displayed` receives the peer and the id of each text that the user now
 * sees, where its sender asked. Returns `show`, which follows a change, and `isOpen` of a peer.
 */
export function textsView(texts, { send, displayed }) {
  /** The peer of the open thread; "" of a new message, undefined while none is open. */
  let open;

  function show() {
    const all = texts.all();
    $("conversations").replaceChildren(...all.map((one) => conversationRow(one, enter)));
    $("no-texts").hidden = all.length > 0;
    $("notify").hidden = !mayAsk();
    if (open !== undefined && open !== "") showThread();
  }

  function showThread() {
    const list = $("thread-texts");
    const again = ({ body }) => submit(open, body);
    list.replaceChildren(...(texts.with(open)?.texts ?? []).map((text) => textRow(text, again)));
    list.scrollTop = list.scrollHeight;
    if (!document.hasFocus()) return;
    for (const id of texts.read(open)) displayed(open, id);
  }

  function enter(peer) {
    open = peer;
    for (const id of ["conversations", "no-texts", "new-text"]) $(id).hidden = true;
    $("thread").hidden = false;
    $("text-to-field").hidden = peer !== "";
    $("thread-texts").hidden = peer === "";
    $("thread-title").textContent = peer === "" ? "New message" : shownAs(peer);
    $("text-problem").textContent = "";
    if (peer !== "") showThread();
    (peer === "" ? to : body).focus();
  }

  function leave() {
    open = undefined;
    to.value = "";
    $("thread").hidden = true;
    for (const id of ["conversations", "new-text"]) $(id).hidden = false;
    show();
    $("new-text").focus();
  }

  /** Sends a text; whether that was begun. */
  function submit(peer, text) {
    const { problem, peer: sentTo } = send(peer, text);
    $("text-problem").textContent = problem ?? "";
    if (problem !== undefined) return false;
    if (open !== sentTo) enter(sentTo);
    return true;
  }

  form.onsubmit = (event) => {
    event.preventDefault();
    if (submit(open === "" ? to.value : open, body.value)) body.value = "";
    showLeft();
    body.focus();
  };
  body.onkeydown = (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  };
  body.oninput = showLeft;
  $("new-text").onclick = () => enter("");
  $("leave-thread").onclick = leave;
  $("notify").onclick = () => void askForNotices().then(show);
  globalThis.addEventListener("focus", show);
  if (!$("thread").hidden) leave();
  show();
  return { show, close: () => globalThis.removeEventListener("focus", show) };
}

/** Says how many characters are left, when few are. */
function showLeft() {
  const left = LONGEST - [...body.value].length;
  $("text-left").textContent = left > 40 ? "" : left < 0 ? `${-left} too many` : `${left} left`;
}

const whenOf = (at) => {
  const day = new Date(at);
  const isToday = day.toDateString() === new Date().toDateString();
  return day.toLocaleString([], {
    ...!isToday && { day: "numeric", month: "short" },
    hour: "2-digit",
    minute: "2-digit",
  });
};

function conversationRow({ peer, unread, texts }, enter) {
  const last = texts.at(-1);
  const [item, button, text, name, small] = ["li", "button", "span", "b", "small"]
    .map((tag) => document.createElement(tag));
  button.type = "button";
  name.textContent = unread > 0 ? `${shownAs(peer)} (${unread} new)` : shownAs(peer);
  small.textContent = [whenOf(last.at), last.body].join(" · ");
  small.className = "cut";
  text.append(name, small);
  button.append(text);
  button.addEventListener("click", () => enter(peer));
  item.classList.toggle("unread", unread > 0);
  item.append(button);
  return item;
}

const states = {
  received: "",
  sending: "Sending…",
  sent: "Sent",
  delivered: "Delivered",
  read: "Read",
  failed: "Not delivered",
};

function textRow(text, again) {
  const { direction, body, at, state, why } = text;
  const [item, words, small] = ["li", "p", "small"].map((tag) => document.createElement(tag));
  item.dataset.direction = direction;
  item.classList.toggle("failed", state === "failed");
  words.textContent = body;
  const what = why === undefined ? states[state] : `${states[state]}: ${why}`;
  small.textContent = [whenOf(at), what].filter(Boolean).join(" · ");
  item.append(words, small);
  if (state === "failed") {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = "Send again";
    button.addEventListener("click", () => again(text));
    item.append(button);
  }
  return item;
}
