import type { Report } from "../protocol/companion.ts";
import { isLive } from "../values/status.ts";
import { endRoom } from "../model/job_kinds.ts";
import type { Ports } from "../ports/ports.ts";
import type { Call } from "../resources/calls.ts";
import { joined, left } from "./membership.ts";

/**
 * Takes what a report says about who is in which Conference; `call` is as that report left it. Which
 * Conference the call says that it is in decides, so that a report that comes late or again is harmless.
 */
export async function takeRoomNews(
  { event, at, leg: callSid }: Report,
  call: Call,
  ports: Ports,
): Promise<void> {
  const { accountSid } = call;
  const leave = async (sid: string | null | undefined) => {
    if (!sid || await ports.records.conferences.get(accountSid, sid) === null) return;
    await ports.records.conferences.update(
      accountSid,
      sid,
      (found) => left(found, callSid, { at }),
    );
  };
  if (event.type === "left") return await leave(event.conferenceSid);
  if (event.type === "ended") {
    await leave(call.conferenceSid);
    return await leave(conferenceCalledFor(call));
  }
  if (event.type !== "joined" || !isIn(call, event.conferenceSid)) return;

  const { conferenceSid: sid, type: _, ...manner } = event;
  if (await ports.records.conferences.get(accountSid, sid) === null) return;
  await ports.records.conferences.update(accountSid, sid, (found) => {
    const change = joined(found, { callSid, ...manner }, at);
    // It was ended while the leg was on its way: its room is, too.
    if (found.status !== "completed" || found.companion === null) return change;
    return { ...change, jobs: [endRoom({ conferenceSid: sid, companion: found.companion })] };
  });
  // A later report may have been taken meanwhile, and found nobody to take out.
  const now = await ports.records.calls.get(accountSid, callSid);
  if (now === null || !isIn(now, sid)) await leave(sid);
}

/** The Conference in which a transfer gave a call somebody's place. */
const conferenceCalledFor = ({ transfer }: Call): string | undefined =>
  transfer?.transferee.startsWith("CF") ? transfer.transferee : undefined;

const isIn = ({ conferenceSid, status }: Call, sid: string): boolean =>
  conferenceSid === sid && isLive(status);
