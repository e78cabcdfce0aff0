import type { Action } from "../protocol/action.ts";
import type { Companion } from "../protocol/companion.ts";
import type { ConferenceStep } from "../protocol/conferences.ts";
import type { Script } from "../protocol/script.ts";
import { actionScript, type ScriptContext } from "../documents/next_script.ts";
import { remoteCompanionOf } from "../companions/companions.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import { notify } from "../webhooks/notify.ts";
import { newBase, withDefaults } from "../model/resource.ts";
import { type Conference, conferences } from "../model/resources/conferences.ts";
import { closeConference } from "./close.ts";
import { expecting, hasLabel } from "./membership.ts";
import { afterUnreached } from "./unreached.ts";
import type { ConferenceOptions, Missed } from "../model/values/conference_options.ts";

type Wanted = Omit<ConferenceOptions, "only" | keyof Missed>;

/**
 * The step that takes a call into the Conference of a name, which is created if it does not exist.
 * If the call cannot join, Dial's action is requested, or the call continues with its next verb.
 */
export async function enterConference(
  asked: ConferenceOptions,
  next: Action | undefined,
  context: ScriptContext,
): Promise<Script> {
  const { call, ports, signal } = context;
  const { companion: own } = call;
  if (own === null) throw new Fault("unavailable", "the call has no SIP companion any more");
  const { unreached, isGone: _, until: __, only, ...wanted } = asked;
  if (unreached !== undefined) {
    const instead = await afterUnreached(asked, next, {
      ...context,
      call: { ...call, companion: own },
    });
    if (instead !== undefined) return instead ?? await refused("failed", next, context);
  }
  for (let attempt = 0; attempt < limits.commitAttempts; attempt++) {
    if (only !== undefined && await isOver(only, context)) {
      return [{ type: "hangup", cause: "script-end" }];
    }
    const { accountSid, sid, companion } = await conferenceNamed(wanted, own, context);
    const at = companion && await remoteCompanionOf(companion, own, ports);
    if (at === null) continue; // It was lost meanwhile: the next attempt closes the Conference.
    const { members, status } = await ports.records.conferences.update(
      accountSid,
      sid,
      (found) =>
        expecting(found, {
          callSid: call.sid,
          most: wanted.most,
          at: ports.steadyNow(),
          label: wanted.label,
          coach: wanted.coach,
        }),
    );
    signal.throwIfAborted();
    if (members.some(({ callSid }) => callSid === call.sid)) {
      const others = members.filter(({ callSid }) => callSid !== call.sid);
      if (hasLabel(others, wanted.label)) await noticeLabel(wanted, context);
      return [{ ...conferenceStep(wanted, sid, next), serviceContext: wanted, ...at && { at } }];
    }
    if (status !== "completed") return await refused("busy", next, context);
  }
  throw new Fault(
    "unavailable",
    `the conference "${wanted.name}" ended while the call joined; retry`,
  );
}

/** Makes the Notification that a label was left out, since another participant has it. */
async function noticeLabel(
  { label, name }: Wanted,
  { call: { accountSid, sid: callSid }, ports, cause }: ScriptContext,
): Promise<void> {
  const detail = `participantLabel "${label}" names another participant of "${name}"; ` +
    "this one has joined without a label";
  const notice = { accountSid, callSid, fault: "markupSkipped", detail, cause } as const;
  await notify({ ...notice, level: "warning" }, ports);
}

async function isOver(sid: string, { call, ports }: ScriptContext): Promise<boolean> {
  const conference = await ports.records.conferences.get(call.accountSid, sid);
  return conference?.status !== "in-progress" && conference?.status !== "init";
}

function conferenceStep(
  { kind: _, name: __, callback: ___, label: ____, record: wanted, ...manner }: Wanted,
  conferenceSid: string,
  next: Action | undefined,
): ConferenceStep & { type: "conference" } {
  const record = wanted &&
    { ...wanted, serviceContext: { ...wanted.serviceContext, conferenceSid } };
  return {
    type: "conference",
    conferenceSid,
    ...manner,
    ...record && { record },
    ...next && { action: next },
  };
}

/** The unique key of an account's Conference of a name, until it is completed. */
export const liveNameOf = (accountSid: string, name: string): string => `${accountSid}/${name}`;

/** The Conference of a name that is not completed; made at the companion of the call if need be. */
async function conferenceNamed(
  { name, callback }: Wanted,
  companion: Companion,
  { call, ports }: ScriptContext,
): Promise<Conference> {
  const { conferences: records } = ports.records;
  const liveName = liveNameOf(call.accountSid, name);
  for (let attempt = 0; attempt < limits.commitAttempts; attempt++) {
    const held = await records.holder("liveName", liveName);
    if (held !== null && await isThere(held, companion, ports)) return held;
    if (held !== null) {
      await closeConference(held, ports, { mayLive: held.companion?.id !== companion.id });
    }
    const record = {
      ...newBase(conferences, call.accountSid, ports),
      ...withDefaults(conferences, {
        friendlyName: name,
        apiVersion: call.apiVersion,
        liveName,
        companion,
        ...(callback && {
          statusCallback: callback.url,
          statusCallbackMethod: callback.method,
          statusCallbackEvent: callback.events,
        }),
      }),
    } as Conference;
    try {
      return await records.insert({ record });
    } catch (error) {
      const isTaken = error instanceof Fault && error.fault === "alreadyExists";
      if (!isTaken) throw error; // Another call was first.
    }
  }
  throw new Fault("unavailable", `too many calls enter "${name}" at the same time; retry`);
}

/** True where the media of a Conference can still exist: its companion has not restarted. */
async function isThere(
  { companion: holder }: Conference,
  requester: Companion,
  ports: Ports,
): Promise<boolean> {
  if (holder?.id === requester.id) return holder.runId === requester.runId;
  return holder !== null && await remoteCompanionOf(holder, requester, ports) !== null;
}

async function refused(
  status: "busy" | "failed",
  next: Action | undefined,
  context: ScriptContext,
): Promise<Script> {
  if (next === undefined) return [];
  return await actionScript(next, { DialCallStatus: status, DialCallDuration: "0" }, context);
}
