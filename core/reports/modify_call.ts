import { z } from "zod";
import { modifyParticipant, muteArriving } from "../conferences/modify.ts";
import { Fault } from "../base/faults.ts";
import { flag, method, url } from "../base/fields.ts";
import { hangUp } from "../model/job_kinds.ts";
import { redirectCall } from "../model/job_kinds.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Change } from "../model/store.ts";
import type { Call } from "../model/resources/calls.ts";
import type { Requester } from "../model/resources/internal/call_end.ts";
import { participantSid } from "../model/resources/participants.ts";
import { callTime } from "../calls/call_time.ts";
import { endOfTime, progress } from "../calls/progress.ts";
import { isLive } from "../model/values/status.ts";

/** The parameters of a modification, by field name. */
export const modifyParams = z.object({
  url: url.describe("URL of new markup for a call in progress; what runs is interrupted."),
  method: method.describe("HTTP method of the request to Url: GET or POST (default)."),
  fallbackUrl: url.describe(
    "URL that is requested when the markup at Url cannot be fetched or parsed.",
  ),
  fallbackMethod: method.describe(
    "HTTP method of the request to FallbackUrl: GET or POST (default).",
  ),
  status: z.enum(["canceled", "completed"]).describe(
    "canceled ends a call that is queued or ringing; completed ends any call.",
  ),
  statusCallback: url.describe("URL of the status callback of the call."),
  statusCallbackMethod: method.describe(
    "HTTP method of the request to StatusCallback: GET or POST (default).",
  ),
  mute: flag.describe(
    "Whether the audio of the call is silenced: true or false; the call must be in progress.",
  ),
  moveConnectedCallLeg: flag.describe(
    "Whether the connected leg moves to Url as well: true or false (default).",
  ),
}).partial();

/** A modification. Not every interface has each of its parameters. */
export interface ModifyParams extends z.infer<typeof modifyParams> {
  /** Seconds after the answer at which the call is ended. */
  timeLimit?: number | undefined;
}

/**
 * Modifies a live call (spec, "Call progress"): `canceled` ends one that is queued or ringing, but neither
 * one in progress nor the leg of a Dial. `completed` ends any. A Url redirects one in progress, Mute
 * silences it and its Participant. Of several redirections at once the last answered one is performed. A
 * call that it ends names its `requester`. Throws `notFound`, `callEnded` or `notModifiable`, and
 * `unavailable` when the companion that has to mute it is out of reach.
 */
export async function modifyCall(
  { accountSid, callSid, requester }: Modified,
  wanted: ModifyParams,
  ports: Ports,
): Promise<Call> {
  if (wanted.mute !== undefined) {
    const call = await ports.records.calls.get(accountSid, callSid);
    if (call === null) throw new Fault("notFound", callSid);
    assertModifiable(call, wanted);
    await mute(call, wanted.mute, ports);
    await muteParticipant(call, wanted.mute, ports);
  }
  return await ports.records.calls.update(accountSid, callSid, (call) => {
    assertModifiable(call, wanted);
    return modified(call, { wanted, requester }, ports);
  });
}

/** The call, and the requester where there is one. */
interface Modified {
  accountSid: string;
  callSid: string;
  requester?: Requester;
}

function assertModifiable({ status, disconnection }: Call, wanted: ModifyParams): void {
  if (!isLive(status)) throw new Fault("callEnded", `Status is ${status}`);
  const { mute, moveConnectedCallLeg, url } = wanted;
  if (moveConnectedCallLeg === true && url === undefined) {
    throw new Fault("notModifiable", "MoveConnectedCallLeg needs Url");
  }
  const isForTalking = url !== undefined || mute !== undefined;
  if (isForTalking && disconnection?.cause === "request") {
    throw new Fault("callEnded", "a request has ended it already");
  }
  if (isForTalking && status !== "in-progress") {
    throw new Fault("notModifiable", `Status is ${status}, not in-progress`);
  }
}

/** Silences the leg of a call where it is, or lets it be heard again; its script goes on. */
async function mute({ sid, companion }: Call, muted: boolean, { control }: Ports): Promise<void> {
  if (companion !== null && await control.mute(sid, muted, companion)) return;
  throw new Fault(
    "notModifiable",
    "Mute needs audio that passes through the companion; the audio of this call does not",
  );
}

/** Mutes or unmutes the participant as well, if the call is in a conference. */
async function muteParticipant(
  { accountSid, sid: callSid }: Call,
  muted: boolean,
  ports: Ports,
): Promise<void> {
  const place = await ports.records.participants.get(accountSid, participantSid(callSid));
  if (place === null) return await muteArriving({ accountSid, callSid }, muted, ports);
  const named = { accountSid, conferenceSid: place.conferenceSid, callSid };
  try {
    await modifyParticipant(named, { mute: muted }, ports);
  } catch (error) {
    if (!(error instanceof Fault) || error.fault !== "notFound") throw error; // It left meanwhile.
  }
}

function modified(
  call: Call,
  { wanted, requester }: { wanted: ModifyParams; requester: Requester | undefined },
  ports: Ports,
): Change<Call> {
  const { accountSid, sid: callSid } = call;
  const { status, mute: _, moveConnectedCallLeg: both = false, ...fields } = wanted;
  const record: Call = { ...call, ...given(fields), dateUpdated: callTime(call, ports) };
  if (wanted.url !== undefined) {
    record.method = wanted.method ?? "POST";
    record.fallbackUrl = wanted.fallbackUrl ?? null;
  }
  if (wanted.statusCallback !== undefined && !record.statusCallbackEvent.includes("completed")) {
    record.statusCallbackEvent = [...record.statusCallbackEvent, "completed"];
  }
  // A leg that a Dial rings is a part of the call that dials: only that one can be canceled.
  const isCancelable = call.status !== "in-progress" && call.parentCallSid === null;
  const isEnded = status === "completed" || status === "canceled" && isCancelable;
  // The first of several requests ends the call.
  if (isEnded) {
    record.disconnection ??= { by: "service", cause: "request", ...requester && { requester } };
  }
  if (isEnded && call.companion === null && !call.initiated) return canceledEarly(record, ports);
  if (isEnded) {
    return { record, jobs: [hangUp({ accountSid, callSid, companion: call.companion })] };
  }
  if (wanted.url !== undefined) {
    const redirect = record.redirects = (call.redirects ?? 0) + 1;
    const redirection = redirectCall({ accountSid, callSid, redirect, ...both && { both } });
    return { record, jobs: [redirection, ...wanted.timeLimit ? endOfTime(record) : []] };
  }
  return { record, ...wanted.timeLimit !== undefined && { jobs: endOfTime(record) } };
}

/** Ends a call that no companion has reported, here and at a companion that may have it meanwhile. */
function canceledEarly(call: Call, ports: Ports): Change<Call> {
  const change = progress(call, "canceled", {
    at: callTime(call, ports),
    instanceId: ports.settings.instanceId,
  });
  return {
    ...change,
    jobs: [...change.jobs ?? [], hangUp({ accountSid: call.accountSid, callSid: call.sid })],
  };
}

const given = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as { [K in keyof T]: Exclude<T[K], undefined> };
