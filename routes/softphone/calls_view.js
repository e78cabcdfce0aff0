import { callView } from "./call_view.js";
import { notice } from "./notices.js";
import { followCalls } from "./ringing.js";
import { maySound } from "./sounds.js";

const $ = (id) => document.getElementById(id);
const follow = followCalls();

/** Shows the calls as cards, manages the focus, and plays the ringing tones. */
export function callsView(calls, deeds) {
  const views = new Map();

  function show(call) {
    if (!calls.all.includes(call)) return remove(call);
    if (!views.has(call)) {
      const view = callView(call, deeds);
      views.set(call, view);
      $("calls").prepend(view.card);
      if (call.state === "incoming") queueMicrotask(() => announce(call));
    }
    for (const [each, { update }] of views) {
      update(calls.all.filter((other) => other !== each && other.state === "talking"));
    }
    follow(calls.all);
    document.body.toggleAttribute("data-in-call", calls.alive().length > 0);
  }

  function announce(call) {
    $("announcer").textContent = `${call.name} is calling`;
    notice(`${call.name} is calling`, { body: call.user, tag: `call-${call.id}` });
    const { activeElement } = document;
    if (!(activeElement instanceof HTMLInputElement) || activeElement.value === "") focus(call);
    if (!maySound()) $("notice").textContent = "Touch this page once, so that it may ring.";
  }

  function focus(call) {
    views.get(call)?.card.querySelector(".deeds button:not([hidden])")?.focus();
  }

  /** Removes a card; the focus in it moves to the next call, or to the dial field. */
  function remove(call) {
    const view = views.get(call);
    if (view === undefined) return;
    const hadFocus = view.card.contains(document.activeElement);
    views.delete(call);
    view.close();
    if (!hadFocus && document.activeElement !== document.body) return;
    const [next] = calls.alive();
    if (next === undefined) $("target").focus();
    else focus(next);
  }

  return {
    show,
    focus,
    close() {
      for (const { close } of views.values()) close();
      follow([]);
      document.body.removeAttribute("data-in-call");
    },
  };
}
