import { reinvite } from "./call_media.js";

/** Time in which ICE may recover by itself after an interruption. */
const PATIENCE_MS = 3_000;
/**
 * With a working connection of this phone, the other side may have moved: it restarts ICE first.
 */
const OTHERS_FIRST_MS = 5_000;
/** Pauses between restarts: after one without a result, and the least after a refused one. */
const RESTART_MS = 8_000;
const REFUSED_MS = 2_000;
/** The companion's timeout of consent (RFC 7675 §5.1). */
const GIVE_UP_MS = 30_000;

/**
 * Recovers a call after a change of the network, or ends it. It receives the states of the audio
 * connection (`media`) and of the registration (`registered`; `isBack`: it was lost before);
 * `renew` checks the registration. After it, a re-INVITE restarts ICE (RFC 8445 §9). The re-INVITE
 * also shows the companion the new connection, and its response shows whether the call still
 * exists.
 */
export function createRecovery(call, renew) {
  /** Time at which the audio connection was lost, in ms; undefined while it works. */
  let downAt;
  let [next, last] = [];

  function media(state) {
    if (state === "connected") return found();
    if (state === "disconnected") lost(PATIENCE_MS);
    if (state !== "failed") return;
    if (call.media === "connecting") giveUp("There is no connection for audio");
    else lost(0);
  }

  function found() {
    stop();
    downAt = undefined;
    call.change({ isReconnecting: false });
  }

  function lost(patienceMs) {
    if (call.state === "ended") return;
    if (downAt === undefined) {
      downAt = Date.now();
      last = setTimeout(() => giveUp("The call could not be reconnected"), GIVE_UP_MS);
    }
    call.change({ media: "interrupted" });
    later(tryAgain, patienceMs);
  }

  function later(what, ms) {
    clearTimeout(next);
    next = setTimeout(what, ms);
  }

  function tryAgain() {
    call.change({ isReconnecting: true });
    later(tryAgain, RESTART_MS);
    renew();
  }

  function registered(isBack) {
    if (call.state !== "talking") return;
    if (isBack) return void restart();
    if (downAt === undefined || !call.isReconnecting) return;
    const early = downAt + OTHERS_FIRST_MS - Date.now();
    if (early > 0) later(restart, early);
    else void restart();
  }

  async function restart() {
    if (call.isBusy) return later(restart, REFUSED_MS);
    later(tryAgain, RESTART_MS);
    call.change({ isReconnecting: true, isBusy: true });
    const status = await reinvite(call, { iceRestart: true });
    if (call.state === "ended") return;
    call.change({ isBusy: false });
    if (status === 408 || status === 481) return giveUp("The call has ended meanwhile");
    if (downAt === undefined) return found();
    // A random pause: when both sides restart at once, one waits longer (RFC 3261 §14.1).
    if (status !== 200) later(tryAgain, REFUSED_MS * (1 + Math.random()));
  }

  function giveUp(notice) {
    call.change({ media: "lost", notice });
    void call.hangup();
  }

  function stop() {
    clearTimeout(next);
    clearTimeout(last);
  }

  return { media, registered, stop };
}
