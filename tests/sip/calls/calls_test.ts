import assert from "node:assert/strict";
import { type CallsOptions, createCalls, runScript } from "../../../sip/script/create_calls.ts";
import { createCallTraces } from "../../../sip/base/call_traces.ts";
import { createLegEnd, type OutboundLeg } from "../../../sip/contracts/leg.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { handClock } from "../../support/process/hand_clock.ts";
import { invite, inviteScript } from "../../support/sip/sip_lab.ts";

/** Calls whose service acknowledges the first report when it is told to. */
function startCalls() {
  const clock = handClock();
  const heard = Promise.withResolvers<[]>();
  const options = {
    signalling: {
      timers: { ...clock, pause: () => Promise.resolve(), clear() {} },
      log() {},
      traces: createCallTraces(),
    },
    sendEvent: () => heard.promise,
    companion: { id: "test", runId: "1" },
    stopping: new AbortController().signal,
    stopped: new AbortController().signal,
  };
  const calls = createCalls(options as unknown as CallsOptions);
  return { calls, clock, hear: () => heard.resolve([]) };
}

Deno.test("runScript() places no ended leg again, until a minute after its end was reported", async () => {
  const { calls, clock, hear } = startCalls();
  const invitation = invite("alice");
  const { ended, signal, end } = createLegEnd();
  end({ outcome: "completed" });
  const leg = { id: invitation.leg, ended, signal, released: ended, direction: "outbound" };
  const live = calls.add(leg as unknown as OutboundLeg);
  await live.over;

  clock.advance(2 * sipLimits.endedLegMs);
  const whileNews = [calls.unsettled().length, calls.ended(invitation.leg)];
  const answer = runScript(calls, {
    leg: invitation.leg,
    script: inviteScript(invitation),
  });
  hear();
  await live.settled();
  await Promise.resolve();
  clock.advance(sipLimits.endedLegMs - 1);
  const whileRecent = calls.ended(invitation.leg);
  clock.advance(1);

  assert.deepEqual(whileNews, [1, true]);
  assert.equal(answer, "run");
  assert.equal(calls.find(invitation.leg), undefined);
  assert.equal(whileRecent, true);
  assert.equal(calls.ended(invitation.leg), false);
});
