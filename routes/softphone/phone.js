import { openAccount } from "./account.js";
import { notice } from "./notices.js";
import { maySound, start } from "./sounds.js";
import { LONGEST, notifyDisplayed, openTexts, peerOf, sendText, takeText } from "./texts.js";
import { textsView } from "./texts_view.js";
import { createCalls } from "./calls.js";
import { callsView } from "./calls_view.js";
import { openHistory } from "./history.js";
import { demoView, historyView } from "./history_view.js";
import { makeKeypad } from "./keypad.js";
import { microphone } from "./microphone.js";
import { meetTabs } from "./tabs.js";
import { target } from "./target.js";
import { shownAs } from "./words.js";

const $ = (id) => document.getElementById(id);
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
 * The phone of a logged-in Client, until `close`. `onState` receives the states of its
 * registration.
 */
export function openPhone({ login: username, password }, settings, onState) {
  const [login] = username.split("~"); // Credentials of a Token have an instant behind it.
  const { ws_url: wsUrl, domain, demo_numbers: demo } = settings;
  const history = openHistory(login);
  let isRegistered = false;
  const texts = openTexts(login, () => shownTexts.show());
  /** Takes a MESSAGE, of a call or not. */
  const onMessage = (message) => {
    const text = takeText(message);
    if (text?.notification !== undefined) {
      const { id, state, why } = text.notification;
      return texts.settle(id, { state, why });
    }
    const peer = text && peerOf(text.uri, domain);
    if (text === undefined || !texts.receive(peer, text)) return;
    $("announcer").textContent = `Message from ${shownAs(peer)}: ${text.body}`;
    notice(shownAs(peer), { body: text.body, tag: `text-${peer}` });
    if (maySound()) start("text");
  };
  const calls = createCalls({
    onMessage,
    nameOf: (user) => demo.find(({ number }) => number === user)?.name,
    renew: () => account.renew(),
    onChange: (call) => view.show(call),
    onEnded(call) {
      history.add(call);
      showHistory();
      $("announcer").textContent = `${call.name}: ${call.notice}`;
    },
  });
  const account = openAccount({ login, username, password, wsUrl, domain, microphone }, {
    onState(state) {
      isRegistered = state.kind === "registered";
      onState(state);
      if (isRegistered) calls.registered(state.isBack);
    },
    isCalling: () => calls.alive().length > 0,
    onInvite: (invitation) => calls.take(invitation),
    onMessage,
  });
  /** Sends a text to a number or name; returns the peer, or the text of a problem. */
  const text = (to, body) => {
    const { uri, problem } = read(to, domain);
    if (problem !== undefined) return { problem };
    if (!isRegistered) return { problem: "Not connected: wait until you are registered" };
    if (body.trim() === "") return { problem: "Enter a message" };
    const length = [...body].length;
    if (length > LONGEST) {
      return { problem: `A message has at most ${LONGEST} characters; this one has ${length}` };
    }
    const [id, peer] = [crypto.randomUUID(), peerOf(uri, domain)];
    texts.send(peer, { id, body });
    void sendText(account.agent, uri, { id, body, name: shownAs(peer) })
      .then((outcome) => texts.settle(id, outcome));
    return { peer };
  };
  const shownTexts = textsView(texts, {
    send: text,
    displayed: (peer, id) => notifyDisplayed(account.agent, target(peer, domain), id),
  });
  /** Calls the target in a text; returns the text of a problem. */
  const place = (text) => {
    const { uri, problem } = read(text, domain);
    if (problem !== undefined) return problem;
    if (!isRegistered) return "Not connected: wait until you are registered";
    if (calls.isFull()) return "There are four calls already: end one first";
    void calls.place(account.agent, uri);
  };
  const view = callsView(calls, deedsOf(calls, { place, domain }));
  dial = (text) => {
    const problem = place(text);
    $("dial-problem").textContent = problem ?? "";
    if (problem !== undefined) return dialled.focus();
    dialled.value = "";
    view.focus(calls.all[0]);
  };
  const again = (user) => {
    dialled.value = user;
    dial(user);
  };
  const showHistory = historyView(history, again);
  demoView(demo, again);
  const leaveTabs = meetTabs(login, (isShared) => {
    $("notice").textContent = isShared
      ? `${login} is logged in in another tab too: both ring, and either may answer.`
      : "";
  });
  return {
    isCalling: () => calls.alive().length > 0,
    async close() {
      leaveTabs();
      await calls.hangUpAll();
      await account.close();
      view.close();
      shownTexts.close();
      texts.close();
      dial = () => {};
    },
  };
}

/** The URI of the target in a text, or the text of a problem. */
function read(text, domain) {
  if (text.trim() === "") return { problem: "Enter a login, a number or an address" };
  const uri = target(text, domain);
  if (uri === undefined) return { problem: `“${text.trim()}” is no login, number or address` };
  return { uri };
}

/**
 * The actions of a call's buttons that need more than the call; they return the text of a problem.
 */
const deedsOf = (calls, { place, domain }) => ({
  answer: (call) => calls.answer(call),
  resume: (call) => calls.resume(call),
  async transferNow(call, text) {
    const { uri, problem } = read(text, domain);
    if (problem === undefined) await call.transfer(uri, text.trim());
    return problem;
  },
  askFirst: (_, text) => place(text),
  connect: (call, other) => call.transfer(other.session, other.name),
});
