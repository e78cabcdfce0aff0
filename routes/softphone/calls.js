import { Inviter } from "sip.js";
import { canCall } from "./ability.js";
import { createCall } from "./call.js";
import { releaseMicrophone } from "./microphone.js";

const MOST = 4;
/** Time for which an ended call is shown. */
const LINGER_MS = 4_000;

/**
 * The calls, newest first. Only one is active: a placed, answered or resumed call puts the others
 * on hold. `onChange` receives each changed call, `onEnded` each ended one once. `renew` checks the
 * registration; the phone calls `registered` after it. `onMessage` receives each MESSAGE in a call.
 */
export function createCalls({ nameOf, renew, onChange, onEnded, onMessage }) {
  const calls = [];
  const alive = () => calls.filter(({ state }) => state !== "ended");

  function add(session, direction) {
    const call = createCall(session, direction, {
      nameOf,
      renew,
      onChange: changed,
      onMessage,
      // The peer transfers this phone: call the target.
      onSuccessor: (inviter) => void add(inviter, "outgoing").place(),
    });
    calls.unshift(call);
    onChange(call);
    return call;
  }

  function changed(call) {
    onChange(call);
    if (call.state !== "ended") return;
    onEnded(call);
    if (alive().length === 0) void releaseMicrophone();
    setTimeout(() => {
      calls.splice(calls.indexOf(call), 1);
      onChange(call);
    }, LINGER_MS);
  }

  const holdOthers = (call) =>
    Promise.all(
      alive().filter((other) => other !== call && other.state === "talking")
        .map((other) => other.hold(true)),
    );

  return {
    all: calls,
    alive,
    isFull: () => alive().length >= MOST,
    /** Calls a SIP URI. */
    async place(agent, uri) {
      const call = add(new Inviter(agent, uri, { earlyMedia: true }), "outgoing");
      await holdOthers(call);
      await call.place();
      return call;
    },
    take(invitation) {
      if (!canCall) return void invitation.reject({ statusCode: 488 });
      if (alive().length >= MOST) return void invitation.reject({ statusCode: 486 });
      const call = add(invitation, "incoming");
      // It replaces an own call, which ends with the answer (RFC 3891).
      if (invitation.replacee !== undefined) void call.answer();
    },
    async answer(call) {
      await holdOthers(call);
      await call.answer();
    },
    async resume(call) {
      await holdOthers(call);
      await call.hold(false);
    },
    registered: (isBack) => alive().forEach((call) => call.registered(isBack)),
    hangUpAll: () => Promise.all(alive().map((call) => call.hangup())),
  };
}
