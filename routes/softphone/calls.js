import { Inviter } from "sip.js";
import { canCall } from "./ability.js";
import { createCall } from "./call.js";
import { releaseMicrophone } from "./microphone.js";

const MOST = 4;
/** How long a call that is over is still shown. */
const LINGER_MS = 4_000;

/**
 * The calls there are, the newest first. Only one talks: what is placed, answered or resumed puts
 * the others on hold. `onChange` is told the call that changed, `onEnded` each one once; `renew`
 * looks after our registration, and `registered` is told when that is done.
 */
export function createCalls({ nameOf, renew, onChange, onEnded }) {
  const calls = [];
  const alive = () => calls.filter(({ state }) => state !== "ended");

  function add(session, direction) {
    const call = createCall(session, direction, {
      nameOf,
      renew,
      onChange: changed,
      // Whom we talk to wants us to call somebody in its place.
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
      // It takes the place of a call of ours, which its answer ends (RFC 3891).
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
