import type { Action } from "../protocol/action.ts";
import type { Script } from "../protocol/script.ts";
import type { ScriptContext } from "../documents/next_script.ts";
import { meetingPlace } from "../companions/companions.ts";
import type { Companion } from "../protocol/companion.ts";
import { limits } from "../base/limits.ts";
import { notify } from "../notifications/notify.ts";
import type { Conference } from "../resources/conferences.ts";
import { closeConference } from "./close.ts";
import { left } from "./membership.ts";
import type { Missed } from "../values/conference_wanted.ts";

/** How long it is until a silent companion is looked at again. */
const LOOK_AGAIN_S = 1;

/**
 * What a call does that did not reach a conference. Undefined where the companion of the conference is found dead:
 * its Conference is closed then, and the name is free. One that is merely silent is looked at again
 * until it answers or its heartbeats are too old; null where it lives, out of reach.
 */
export async function afterUnreached(
  wanted: Missed & Record<string, unknown>,
  next: Action | undefined,
  context: ScriptContext & { call: { companion: Companion } },
): Promise<Script | null | undefined> {
  const { call, ports } = context;
  const { unreached = "", isGone = false, until = ports.now() + limits.companionLostMs } = wanted;
  const { conferences } = ports.records;
  const conference = await conferences.get(call.accountSid, unreached);
  const holder = conference?.companion;
  if (!conference || !holder || conference.status === "completed") return undefined;
  const isLost = isGone || await meetingPlace(holder, call.companion, ports) === null;
  const found = isLost ? "gone" : await ports.control.look(holder);
  if (found === "gone") {
    await closeConference(conference, ports, { mayLive: isLost && !isGone });
    return undefined;
  }
  if (found === "silent" && ports.now() < until) {
    const consult = { type: "consult", serviceContext: { ...wanted, until } } as const;
    return [{ type: "silence", seconds: LOOK_AGAIN_S }, {
      ...consult,
      ...next && { action: next },
    }];
  }
  const { accountSid, sid } = conference;
  await conferences.update(accountSid, sid, (now) => left(now, call.sid, { at: ports.now() }));
  await notifyUnreached(conference, context);
  return null;
}

function notifyUnreached(
  { sid }: Conference,
  { call, ports, cause }: ScriptContext,
): Promise<void> {
  const { accountSid, sid: callSid } = call;
  const detail = `the companion of ${sid} is unreachable`;
  const notice = { accountSid, callSid, fault: "conferenceUnreached", detail, cause } as const;
  return notify({ ...notice, level: "error" }, ports);
}
