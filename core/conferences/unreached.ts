import type { Action } from "../protocol/action.ts";
import type { Script } from "../protocol/script.ts";
import type { ScriptContext } from "../documents/next_script.ts";
import { remoteCompanionOf } from "../companions/companions.ts";
import type { Companion } from "../protocol/companion.ts";
import { limits } from "../base/limits.ts";
import { notify } from "../webhooks/notify.ts";
import type { Conference } from "../model/resources/conferences.ts";
import { closeConference } from "./close.ts";
import { left } from "./membership.ts";
import type { Missed } from "../model/values/conference_options.ts";

/** Pause before a silent companion is checked again. */
const LOOK_AGAIN_S = 1;

/**
 * The steps of a call that did not reach a conference. Undefined where the conference's companion is
 * dead: the Conference is closed, and its name is free. A silent companion is checked again until it
 * answers or its heartbeats are too old. Null where it lives but cannot be reached.
 */
export async function afterUnreached(
  wanted: Missed & Record<string, unknown>,
  next: Action | undefined,
  context: ScriptContext & { call: { companion: Companion } },
): Promise<Script | null | undefined> {
  const { call, ports } = context;
  const { unreached = "", isGone = false, until = ports.steadyNow() + limits.companionLostMs } =
    wanted;
  const { conferences } = ports.records;
  const conference = await conferences.get(call.accountSid, unreached);
  const holder = conference?.companion;
  if (!conference || !holder || conference.status === "completed") return undefined;
  const isLost = isGone || await remoteCompanionOf(holder, call.companion, ports) === null;
  const found = isLost ? "gone" : await ports.control.look(holder);
  if (found === "gone") {
    await closeConference(conference, ports, { mayLive: isLost && !isGone });
    return undefined;
  }
  if (found === "silent" && ports.steadyNow() < until) {
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
