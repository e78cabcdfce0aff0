import { openAccount } from "./account.js";
import { callView } from "./call_view.js";
import { createCalls } from "./calls.js";
import { openHistory } from "./history.js";
import { demoView, historyView } from "./history_view.js";
import { makeKeypad } from "./keypad.js";
import { microphone } from "./microphone.js";
import { followCalls } from "./ringing.js";
import { maySound } from "./sounds.js";
import { meetTabs } from "./tabs.js";
import { target } from "./target.js";

const $ = (id) => document.getElementById(id);
const follow = followCalls();
const dialForm = document.querySelector("#dial form");
const dialled = $("target");
let dial = () => {};

makeKeypad($("dial-keys"), (key) => {
  dialled.setRangeText(key, dialled.selectionStart, dialled.selectionEnd, "end");
});
$("erase").addEventListener("click", () => {
  const { selectionStart: from, selectionEnd: to } = dialled;
  dialled.setRangeText("", from === to ? Math.max(0, from - 1) : from, to, "end");
  dialled.focus();
});
dialForm.addEventListener("submit", (event) => {
  event.preventDefault();
  dial(dialled.value);
});

/**
 * The phone of a logged-in Client, from now until `close`. `onState` is told what becomes of its
 * registration.
 */
export function openPhone({ login, password }, settings, onState) {
  const views = new Map();
  const history = openHistory(login);
  let isRegistered = false;
  const { ws_url: wsUrl, domain, demo_numbers: demo } = settings;
  const nameOf = (user) => demo.find(({ number }) => number === user)?.name;
  const calls = createCalls({ nameOf, onChange: show, onEnded: keep });
  const account = openAccount({ login, password, wsUrl, domain, microphone }, {
    onState(state) {
      isRegistered = state.kind === "registered";
      onState(state);
    },
    onInvite: (invitation) => calls.take(invitation),
  });
  const showHistory = historyView(history, again);
  demoView(demo, again);
  const leaveTabs = meetTabs(login, (isShared) => {
    $("notice").textContent = isShared
      ? `${login} is logged in in another tab too: both ring, and either may answer.`
      : "";
  });

  /** The URI of who is to be called, or what is wrong with the text. */
  function read(text) {
    if (text.trim() === "") return { problem: "Say whom to call" };
    const uri = target(text, domain);
    if (uri === undefined) return { problem: `“${text.trim()}” is no login, number or address` };
    return { uri };
  }

  async function place(text) {
    const { uri, problem } = read(text);
    if (problem !== undefined) return problem;
    if (!isRegistered) return "Not connected: wait until you are registered";
    if (calls.isFull()) return "There are four calls already: end one first";
    void calls.place(account.agent, uri);
    await Promise.resolve();
  }

  dial = async (text) => {
    const problem = await place(text);
    $("dial-problem").textContent = problem ?? "";
    if (problem !== undefined) return dialled.focus();
    dialled.value = "";
    focusCall(calls.all[0]);
  };

  function again(user) {
    dialled.value = user;
    void dial(user);
  }

  const deeds = {
    answer: (call) => calls.answer(call),
    resume: (call) => calls.resume(call),
    async transferNow(call, text) {
      const { uri, problem } = read(text);
      if (problem === undefined) await call.transfer(uri, text.trim());
      return problem;
    },
    askFirst: (_, text) => place(text),
    connect: (call, other) => call.transfer(other.session, other.name),
  };

  function show(call) {
    if (!calls.all.includes(call)) return remove(call);
    if (!views.has(call)) {
      const view = callView(call, deeds);
      views.set(call, view);
      $("calls").prepend(view.card);
      if (call.state === "incoming") announce(call);
    }
    for (const [each, { update }] of views) {
      update(calls.all.filter((other) => other !== each && other.state === "talking"));
    }
    follow(calls.all);
    document.body.toggleAttribute("data-in-call", calls.alive().length > 0);
  }

  function announce(call) {
    $("announcer").textContent = `${call.name} is calling`;
    const isTyping = document.activeElement instanceof HTMLInputElement;
    if (!isTyping || document.activeElement.value === "") focusCall(call);
    if (!maySound()) $("notice").textContent = "Touch this page once, so that it may ring.";
  }

  function focusCall(call) {
    views.get(call)?.card.querySelector(".deeds button:not([hidden])")?.focus();
  }

  function keep(call) {
    history.add(call);
    showHistory();
    $("announcer").textContent = `${call.name}: ${call.notice}`;
  }

  /** Nobody loses the focus with the card that has it. */
  function remove(call) {
    const view = views.get(call);
    if (view === undefined) return;
    const hadFocus = view.card.contains(document.activeElement);
    views.delete(call);
    view.close();
    const [next] = calls.alive();
    if (hadFocus || document.activeElement === document.body) {
      if (next === undefined) dialled.focus();
      else focusCall(next);
    }
  }

  return {
    isCalling: () => calls.alive().length > 0,
    retry: account.retry,
    async close() {
      leaveTabs();
      await calls.hangUpAll();
      await account.close();
      for (const { close } of views.values()) close();
      follow([]);
      dial = () => {};
      document.body.removeAttribute("data-in-call");
    },
  };
}
