import { Messager } from "sip.js";
import { CPIM, readCpim, writeDisplayed, writeText } from "./cpim.js";

/** Most stored conversations, and most texts of each. */
const MOST_CONVERSATIONS = 50;
const MOST_TEXTS = 200;
/** The longest text that Switchboard takes from a Client, in characters. */
export const LONGEST = 160;
/** A request without a response counts as lost after this time. */
const TIMEOUT_MS = 32_000;

const key = (login) => `switchboard.texts.${login}`;

/**
 * The conversations of a login in this browser, the latest first: `{ peer, unread, texts }`. A text
 * is `{ id, direction, body, at, state, why, asked }`; `state` is `received`, or of one of ours
 * `sending`, `sent` (Switchboard has it), `delivered`, `read` or `failed`. `asked` is the id that
 * its sender wants to be told of when it is read. Other tabs of the browser share them; `onChange`
 * is called after each change.
 */
export function openTexts(login, onChange) {
  let memory; // Counts where the browser stores no more.
  const read = () => {
    if (memory !== undefined) return memory;
    try {
      const kept = JSON.parse(localStorage.getItem(key(login)) ?? "[]");
      return Array.isArray(kept) ? kept.map(withoutLost) : [];
    } catch {
      return [];
    }
  };
  const write = (conversations) => {
    try {
      localStorage.setItem(key(login), JSON.stringify(conversations));
      memory = undefined;
    } catch {
      // No storage, or a full one: then they last as long as the page.
      memory = conversations;
    }
    onChange();
  };
  /** Changes the conversation with a peer, which comes first when it has a new text. */
  const change = (peer, changed) => {
    const all = read();
    const known = all.find((one) => one.peer === peer) ?? { peer, unread: 0, texts: [] };
    const next = changed(known);
    const others = all.filter((one) => one !== known);
    const isNew = next.texts.length > known.texts.length;
    const place = isNew ? 0 : Math.max(all.indexOf(known), 0);
    const cut = { ...next, texts: next.texts.slice(-MOST_TEXTS) };
    write(others.toSpliced(place, 0, cut).slice(0, MOST_CONVERSATIONS));
  };
  const onStorage = (event) => event.key === key(login) && onChange();
  globalThis.addEventListener("storage", onStorage);

  return {
    all: read,
    with: (peer) => read().find((one) => one.peer === peer),
    /** Adds a received text; false where it was there, as after a repeat by the sender. */
    receive(peer, { id, body, asked }) {
      if (read().some(({ texts }) => texts.some((text) => text.id === id))) return false;
      const text = { id, direction: "incoming", body, at: Date.now(), state: "received", asked };
      change(peer, (now) => ({ ...now, unread: now.unread + 1, texts: [...now.texts, text] }));
      return true;
    },
    /** Adds a text of ours, which is being sent. */
    send(peer, { id, body }) {
      const text = { id, direction: "outgoing", body, at: Date.now(), state: "sending" };
      change(peer, (now) => ({ ...now, texts: [...now.texts, text] }));
    },
    /** State of a text of ours. Notifications may come in any order: none goes back. */
    settle(id, { state, why }) {
      const isOurs = (text) => text.id === id && text.direction === "outgoing";
      const { peer } = read().find(({ texts }) => texts.some(isOurs)) ?? {};
      if (peer === undefined) return; // It was removed meanwhile.
      const settled = (text) =>
        isOurs(text) && order.indexOf(state) > order.indexOf(text.state)
          ? { ...text, state, why }
          : text;
      change(peer, (now) => ({ ...now, texts: now.texts.map(settled) }));
    },
    /** Marks a conversation as read; returns the ids whose sender asks for a notification. */
    read(peer) {
      const known = read().find((one) => one.peer === peer);
      const asked = known?.texts.flatMap(({ asked }) => asked ?? []) ?? [];
      if (known?.unread > 0 || asked.length > 0) {
        const texts = known.texts.map((text) => ({ ...text, asked: undefined }));
        change(peer, (now) => ({ ...now, unread: 0, texts }));
      }
      return asked;
    },
    close: () => globalThis.removeEventListener("storage", onStorage),
  };
}

/** The states of a text of ours in the order in which they come. */
const order = ["sending", "sent", "failed", "delivered", "read"];

/** A conversation whose texts are being sent no more where the page closed before the answer. */
const withoutLost = (conversation) => ({
  ...conversation,
  texts: conversation.texts.map((text) =>
    text.state === "sending" && text.at < Date.now() - 2 * TIMEOUT_MS
      ? { ...text, state: "failed", why: "no answer came" }
      : text
  ),
});

/** The peer of a SIP URI, as it is shown and dialled: a login, a number, or an address elsewhere. */
export function peerOf(uri, domain) {
  const user = decodeURIComponent(uri.user ?? "");
  return uri.host === domain ? user : `${user}@${uri.host}`;
}

/**
 * The text or the `notification` of a MESSAGE (RFC 3428 §7), which is accepted; undefined for one that
 * the page cannot show, which is refused, so that its sender knows.
 */
export function takeText(message) {
  const { request } = message;
  const { body, callId: id, from: { uri } } = request;
  const [written = ""] = (request.getHeader("Content-Type") ?? "text/plain").split(";");
  const type = written.trim().toLowerCase();
  if (!["text/plain", CPIM].includes(type) || request.hasHeader("Content-Encoding")) {
    const extraHeaders = [`Accept: text/plain, ${CPIM}`, "Accept-Encoding: identity"];
    return void message.reject({ statusCode: 415, extraHeaders });
  }
  const content = type === CPIM ? readCpim(body) : body === "" ? undefined : { text: body };
  if (content === undefined) {
    return void message.reject({ statusCode: type === CPIM ? 415 : 400 });
  }
  void message.accept();
  if (content.notification !== undefined) return { notification: content.notification };
  return { id, uri, body: content.text, asked: content.asksDisplay ? content.id : undefined };
}

/** Tells the sender of a message, by its URI, that it was displayed. */
export function notifyDisplayed(agent, uri, id) {
  const body = writeDisplayed({ from: agent.configuration.uri, to: uri, id });
  void new Messager(agent, uri, body, CPIM).message().catch(() => {}); // It is not repeated.
}

/**
 * Sends a text to a URI, and asks for notifications of it. Resolves with its state: `sent`, or
 * `failed` and why.
 */
export function sendText(agent, uri, { id, body, name }) {
  const { promise, resolve } = Promise.withResolvers();
  const failed = (why) => resolve({ state: "failed", why });
  const timer = setTimeout(() => failed("Switchboard did not answer"), TIMEOUT_MS);
  const text = writeText({ from: agent.configuration.uri, to: uri, id, body });
  const messager = new Messager(agent, uri, text, CPIM, { params: { callId: id } });
  const requestDelegate = {
    onAccept: () => resolve({ state: "sent" }),
    onReject: ({ message }) => failed(refusal(message, name)),
  };
  messager.message({ requestDelegate }).catch(() => failed("The connection was lost"));
  return promise.finally(() => clearTimeout(timer));
}

/** The reason of a refused text. */
function refusal(message, name) {
  const wait = parseInt(message.getHeader("Retry-After") ?? "");
  switch (message.statusCode) {
    case 404:
      return `there is no ${name} here`;
    case 480:
      return wait > 0 ? `too many messages: wait ${wait} s` : `${name} cannot be reached now`;
    case 401:
    case 403:
    case 407:
      return `you may not text ${name}`;
    case 413:
      return "it is too long";
    case 408:
    case 503:
      return "Switchboard cannot take it now";
    default:
      return `it was refused with ${message.statusCode}`;
  }
}
