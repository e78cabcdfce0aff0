import { reinvite } from "./call_media.js";

/** For so long an interruption is left alone: ICE often finds back by itself. */
const PATIENCE_MS = 3_000;
/**
 * When our own connection is sound, the other side may be the one that moved, and is let go first.
 */
const OTHERS_FIRST_MS = 5_000;
/** Between two tries: after one that found no way, and after one that was refused, at least. */
const RESTART_MS = 8_000;
const REFUSED_MS = 2_000;
/** As long as the companion waits for our consent (RFC 7675 §5.1). */
const GIVE_UP_MS = 30_000;

/**
 * Brings a call through a change of the network, and gives it up when that cannot be done. It is
 * told what becomes of the connection for audio (`media`) and of the registration (`registered`,
 * with whether we were not registered before), which `renew` is to look after. Then it restarts ICE
 * (RFC 8445 §9) by a re-INVITE, which also tells the companion our new connection, and us whether
 * the call is still there.
 */
export function createRecovery(call, renew) {
  /** Since when there is no way for audio; undefined while there is one. */
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
    // Of two that restart at once, one is to wait longer (RFC 3261 §14.1).
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
