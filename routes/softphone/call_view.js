import { makeKeypad } from "./keypad.js";
import { openMeter } from "./meter.js";
import { duration, shownAs } from "./words.js";

const METER_MS = 80;
const SILENT_AFTER_MS = 8_000;
/** Below this level an open microphone gives only noise. */
const SILENT = 0.08;

const doing = {
  incoming: () => "is calling you",
  calling: () => "Calling…",
  ringing: () => "Ringing…",
  ended: () => "Call ended",
  talking({ name, media, isHeld, isHeldByPeer, isMuted, isReconnecting }) {
    if (isReconnecting) return "Reconnecting the call…";
    if (isHeld) return isHeldByPeer ? `On hold, by ${name} too` : "On hold";
    if (isHeldByPeer) return `${name} has put you on hold`;
    if (media === "connecting") return "Connecting audio…";
    if (media === "interrupted") return "Audio interrupted, waiting for it…";
    return isMuted ? "Talking, you are muted" : "Talking";
  },
};

/**
 * A call as a card. `deeds` are the actions of its buttons. Each receives the call, `transferNow`
 * and `askFirst` also the target, `connect` the other call. They return the text of a problem.
 */
export function callView(call, deeds) {
  const card = document.getElementById("call-template").content.firstElementChild.cloneNode(true);
  const find = (selector) => card.querySelector(selector);
  const button = (name) => find(`[data-do="${name}"]`);
  const heading = find(".who");
  heading.id = `call-${call.id}`;
  card.setAttribute("aria-labelledby", heading.id);
  find(".details").append(...call.details.flatMap(([name, value]) => [
    Object.assign(document.createElement("dt"), { textContent: name }),
    Object.assign(document.createElement("dd"), { textContent: value }),
  ]));
  find(".details").hidden = call.details.length === 0;
  const to = find("[name=to]");
  const problem = find("form .problem");
  const sent = find(".sent");
  const press = makeKeypad(find(".keys"), (key) => {
    call.press(key);
    sent.textContent = (sent.textContent + key).slice(-24);
  });

  const toggle = (name) => {
    const panel = find(`[data-panel="${name}"]`);
    panel.hidden = !panel.hidden;
    button(name).ariaExpanded = String(!panel.hidden);
    if (!panel.hidden) panel.querySelector(name === "keypad" ? "button" : "input").focus();
  };
  const transfer = async (deed) => problem.textContent = await deed(call, to.value) ?? "";
  const on = {
    answer: () => deeds.answer(call),
    decline: () => call.hangup(),
    hangup: () => call.hangup(),
    mute: () => call.mute(!call.isMuted),
    hold: () => call.isHeld ? deeds.resume(call) : call.hold(true),
    keypad: () => toggle("keypad"),
    transfer: () => toggle("transfer"),
    "ask-first": () => transfer(deeds.askFirst),
  };
  card.addEventListener("click", ({ target }) => {
    on[target.closest("[data-do]")?.dataset.do]?.();
  });
  find("form").addEventListener("submit", (event) => {
    event.preventDefault();
    void transfer(deeds.transferNow);
  });
  card.addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey) return;
    if (call.state === "talking" && press(event.key)) event.preventDefault();
  });

  const meters = watchLevels(call, find);
  const clock = setInterval(showTime, 500);
  function showTime() {
    const from = call.startedAt;
    const seconds = from === undefined ? 0 : ((call.endedAt ?? Date.now()) - from) / 1_000;
    setText(find(".time"), from === undefined ? "" : duration(seconds));
    setText(find(".why"), call.notice || meters.notice());
  }

  /** Shows the present state of the call; `others` are the other answered calls. */
  function update(others) {
    const { state } = call;
    setText(heading, call.name);
    setText(find(".number"), call.name === shownAs(call.user) ? "" : shownAs(call.user));
    find(".number").hidden = find(".number").textContent === "";
    card.dataset.state = call.isHeld ? "held" : state;
    setText(find(".doing"), doing[state](call));
    const help = find(".help");
    help.hidden = call.code === undefined;
    if (!help.hidden) help.href = `console/errors/${call.code}`;
    const shown = {
      answer: state === "incoming",
      decline: state === "incoming",
      hangup: state !== "incoming" && state !== "ended",
      ...Object.fromEntries(
        ["mute", "hold", "keypad", "transfer"].map((n) => [n, state === "talking"]),
      ),
    };
    for (const [name, isShown] of Object.entries(shown)) button(name).hidden = !isShown;
    if (state !== "talking") card.querySelectorAll(".panel").forEach((each) => each.hidden = true);
    find(".levels").hidden = state !== "talking" || call.isHeld;
    button("mute").ariaPressed = String(call.isMuted);
    button("hold").ariaPressed = String(call.isHeld);
    for (const name of ["hold", "transfer", "answer"]) button(name).disabled = call.isBusy;
    find(".others").replaceChildren(...others.map((other) => connectButton(other)));
    showTime();
  }

  function connectButton(other) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = `Connect with ${other.name}`;
    made.addEventListener("click", () => deeds.connect(call, other));
    return made;
  }

  return {
    card,
    update,
    close() {
      clearInterval(clock);
      meters.close();
      card.remove();
    },
  };
}

/** Sets a text only when it differs: screen readers read each change. */
const setText = (element, text) => element.textContent === text || (element.textContent = text);

/** Shows the levels of both sides; `notice` reports a silent microphone. */
function watchLevels(call, find) {
  const open = {};
  let [heardAt, read] = [Date.now(), 0];
  const timer = setInterval(() => {
    for (const side of ["local", "remote"]) {
      const stream = call.state === "talking" ? call[side] : undefined;
      if (open[side]?.stream !== stream) {
        open[side]?.meter.close();
        open[side] = stream && { stream, meter: openMeter(stream) };
      }
      const level = open[side]?.meter.level() ?? 0;
      const element = find(`[data-side="${side}"] [role=meter]`);
      element.style.setProperty("--level", level.toFixed(3));
      if (read % 12 === 0) element.ariaValueNow = String(Math.round(level * 100));
      if (side === "local" && (level > SILENT || !stream || call.isMuted || call.isHeld)) {
        heardAt = Date.now();
      }
    }
    read++;
  }, METER_MS);
  return {
    notice: () =>
      Date.now() - heardAt > SILENT_AFTER_MS ? "No sound comes from your microphone" : "",
    close() {
      clearInterval(timer);
      Object.values(open).forEach((each) => each?.meter.close());
    },
  };
}
