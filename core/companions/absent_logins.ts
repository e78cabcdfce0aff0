import { limits } from "../base/limits.ts";
import { protocolLimits } from "../protocol/companion.ts";
import type { AbsentLogins } from "../model/ports/companion_ports.ts";

/**
 * Logins that a companion may have cached as unknown, so that a creation of a Client is in force when it
 * is answered. A companion keeps credentials for 30 s, and an unknown login for 5 s. With a message to
 * every companion for each creation, 1,000 creations cost 2.4 times the CPU, and a companion that hung
 * delayed each of them by 5 s. Refused: no message, and a new Client is refused for up to 5 s; a message
 * by a job, with the same effect for some ms. So a creation sends a message only where the login is
 * among those that companions have asked for in the last 20 s, 20,000 at most. Changes of Status and
 * Password, and removals, go to every companion, in shared messages (`invalidations.ts`). A response
 * waits for 1 s at most, and not at all for a companion that left a message unanswered for so long; the
 * job of the change does the rest. Services on a shared store do not see each other's queries, so there
 * each creation sends a message, as for 5 s after a start.
 */

/**
 * Remembers which logins companions have asked for within `limits.loginAnswerMs`, the time for which an
 * answer may be under way and be kept. Where it knows too little, each login may be kept: after the
 * start, after more queries than it remembers, and where other services answer companions too.
 */
export function createAbsentLogins(
  { steadyNow, isShared }: { steadyNow(): number; isShared: boolean },
): AbsentLogins {
  // Two spans of that length: the present one, and the one before.
  let asked = new Set<string>();
  let askedBefore = new Set<string>();
  let beganAt = steadyNow();
  let isComplete = true;
  let wasComplete = true;
  const knowsAt = beganAt + protocolLimits.absentLoginMs;

  function turn(): void {
    const spans = Math.floor((steadyNow() - beganAt) / limits.loginAnswerMs);
    if (spans === 0) return;
    beganAt += spans * limits.loginAnswerMs;
    askedBefore = spans === 1 ? asked : new Set();
    wasComplete = spans > 1 || isComplete;
    asked = new Set();
    isComplete = true;
  }

  return {
    noteQuery(login) {
      if (isShared || login.length > limits.lookupLength) return; // No Client has a longer one.
      turn();
      if (asked.size < limits.askedLogins) asked.add(login);
      else isComplete = false;
    },
    mayBeCached(login) {
      if (isShared) return true;
      turn();
      if (!isComplete || !wasComplete || steadyNow() < knowsAt) return true;
      return asked.has(login) || askedBefore.has(login);
    },
  };
}
