import { randomBytes } from "node:crypto";
import type { Call } from "../../../core/model/resources/calls.ts";
import type { App } from "../service/app.ts";
import { makeParticipant, makeSample } from "../service/samples.ts";
import { document, insertCall } from "./records.ts";

/** A call in a conference, another in a queue, one that rings. */
export async function goingOn(app: App): Promise<string> {
  const { clock, ports, root } = app;
  const companion = { id: "sip-1.fra.internal", runId: "run" };
  await ports.companions.beat({ ...companion, seenAt: clock.now, registered: 7 });
  const live = async (from: string, to: string, sent: Partial<Call>) => {
    const startTime = clock.now - 95_000;
    const call = {
      from,
      to,
      startTime,
      companion,
      sipCallId: randomBytes(6).toString("hex"),
      direction: "inbound" as const,
      ...sent,
    };
    return await insertCall(app, call);
  };
  const one = await live("+13105550123", "+12125550100", {
    status: "in-progress",
    answeredAt: clock.now - 90_000,
  });
  const two = await live("+12125550188", "client:bilal", {
    status: "in-progress",
    answeredAt: clock.now - 80_000,
  });
  const waiting = await live("+16175550111", "+12125550100", {
    status: "in-progress",
    answeredAt: clock.now - 70_000,
  });
  await live("+12125550100", "+442079460018", { status: "ringing", direction: "outbound-api" });
  await document(app, one.sid, { startTime: one.startTime! + 50 });
  const room = await makeSample(app, root, { name: "conferences" });
  await makeParticipant(app, room, one.sid);
  const member = {
    hold: false,
    startOnEnter: true,
    endOnExit: false,
    hasJoined: true,
    at: clock.now - 60_000,
  };
  await ports.records.conferences.update(root.sid, room, (before) => ({
    record: {
      ...before,
      friendlyName: "Weekly sales review",
      status: "in-progress",
      companion,
      begun: true,
      members: [{ callSid: one.sid, muted: false, ...member }, {
        callSid: two.sid,
        muted: true,
        ...member,
      }],
    },
  }));
  await ports.records.queues.insert({
    record: {
      sid: ports.newSid("QU"),
      accountSid: root.sid,
      dateCreated: clock.now,
      dateUpdated: clock.now,
      friendlyName: "support",
      ownName: `${root.sid} support`,
      members: [{ callSid: waiting.sid, at: clock.now - 65_000, companion, taken: null }],
    },
  });
  return one.sid;
}
