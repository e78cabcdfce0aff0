import { limits } from "../base/limits.ts";
import { protocolLimits } from "../protocol/companion.ts";
import type { AbsentLogins } from "../model/ports/companion_ports.ts";

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
    mayBeKept(login) {
      if (isShared) return true;
      turn();
      if (!isComplete || !wasComplete || steadyNow() < knowsAt) return true;
      return asked.has(login) || askedBefore.has(login);
    },
  };
}
