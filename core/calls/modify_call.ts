import { z } from "zod";
import { Fault } from "../faults.ts";
import { flag, method, url } from "../fields.ts";
import { hangUp } from "../jobs/hang_up.ts";
import { redirectCall } from "../jobs/redirect_call.ts";
import type { Change, Ports } from "../ports.ts";
import type { Call } from "../resources/calls.ts";
import { progress } from "./progress.ts";
import { isLive } from "./status.ts";

/** The parameters of a modification, by field name. */
export const modifyParams = z.object({
  url,
  method,
  fallbackUrl: url,
  fallbackMethod: method,
  status: z.enum(["canceled", "completed"]),
  statusCallback: url,
  statusCallbackMethod: method,
  mute: flag,
  moveConnectedCallLeg: flag,
}).partial();

export type ModifyParams = z.infer<typeof modifyParams>;

/**
 * Modifies a live call (spec, "Call progress"): `canceled` ends one that is queued or ringing and
 * leaves one in progress alone, `completed` ends any, a Url redirects one in progress. Throws
 * `notFound`, `callEnded` or `notModifiable`.
 */
export function modifyCall(
  { accountSid, callSid }: { accountSid: string; callSid: string },
  wanted: ModifyParams,
  ports: Ports,
): Promise<Call> {
  return ports.records.calls.update(accountSid, callSid, (call) => {
    if (!isLive(call.status)) throw new Fault("callEnded", `it is ${call.status}`);
    refuseUnsupported(wanted);
    if (wanted.url !== undefined && call.status !== "in-progress") {
      throw new Fault("notModifiable", `it is ${call.status}`);
    }
    return modified(call, wanted, ports);
  });
}

/** What this version understands but cannot do is refused, not ignored. */
function refuseUnsupported({ mute, moveConnectedCallLeg, url }: ModifyParams): void {
  if (moveConnectedCallLeg === true && url === undefined) {
    throw new Fault("notModifiable", "MoveConnectedCallLeg needs a Url to move to");
  }
  if (mute !== undefined) {
    throw new Fault("notModifiable", "Mute is not supported: a leg's audio cannot be muted yet");
  }
}

function modified(call: Call, wanted: ModifyParams, ports: Ports): Change<Call> {
  const { accountSid, sid: callSid } = call;
  const { status, mute: _, moveConnectedCallLeg: both = false, ...fields } = wanted;
  const record: Call = { ...call, ...given(fields), dateUpdated: ports.now() };
  if (wanted.url !== undefined) {
    record.method = wanted.method ?? "POST";
    record.fallbackUrl = wanted.fallbackUrl ?? null;
  }
  if (wanted.statusCallback !== undefined && !record.statusCallbackEvent.includes("completed")) {
    record.statusCallbackEvent = [...record.statusCallbackEvent, "completed"];
  }
  const isEnded = status === "completed" || status === "canceled" && call.status !== "in-progress";
  if (isEnded && call.companion === null && !call.initiated) return canceledEarly(record, ports);
  if (isEnded) return { record, jobs: [hangUp({ callSid, companion: call.companion })] };
  if (wanted.url !== undefined) {
    return { record, jobs: [redirectCall({ accountSid, callSid, ...both && { both } })] };
  }
  return { record };
}

/** No companion has said that it holds the call: it ends here, and in one that has it meanwhile. */
function canceledEarly(call: Call, { now, settings }: Ports): Change<Call> {
  const change = progress(call, "canceled", { at: now(), instanceId: settings.instanceId });
  return { ...change, jobs: [...change.jobs ?? [], hangUp({ callSid: call.sid })] };
}

const given = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as { [K in keyof T]: Exclude<T[K], undefined> };
