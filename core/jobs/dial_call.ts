/**
 * A call is placed in time or fails. One that was acknowledged while the companion was out of reach for a
 * minute rang 65 s late. `no-answer` was refused, since no phone rang; placing it whenever a companion is
 * back was refused, since the caller has given up by then. So it is `failed` (13244) after `DIAL_MAX_AGE_S`: 30 s is
 * longer than the restart of a companion (5 s) and the loss of one that is detected (15 s), and about as
 * long as a person who asked for a call waits for the ring. The age is by the steady clock. It is no
 * parameter of a call, as it bounds faults of the operator's machines.
 */
import { tenantField, tenantOf } from "../accounts/tenant.ts";
import { plainReason } from "../base/plain_reason.ts";
import { effectiveStatus, isTest } from "../accounts/access.ts";
import type { Companion } from "../protocol/companion.ts";
import type { ServiceCause } from "../protocol/disconnection.ts";
import type { Script, Target } from "../protocol/script.ts";
import { customHeaders } from "../model/values/custom_headers.ts";
import { parseAddress } from "../model/values/address.ts";
import { end } from "../calls/progress.ts";
import { routeTo, type Routing, type Unroutable } from "../calls/route.ts";
import { aheadOf, callTime } from "../calls/call_time.ts";
import { dialDelayMs, isLive } from "../model/values/status.ts";
import { companionFor, liveCompanions, withPeers } from "../companions/companions.ts";
import { Fault, type FaultName } from "../base/faults.ts";
import { limitFaultOf } from "../model/values/account_limits.ts";
import { sidOfCause } from "../base/sid.ts";
import { recordings } from "../model/resources/recordings.ts";
import { orderOf } from "../model/values/recording_options.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler, type JobRun } from "../model/ports/job_handler.ts";
import { type ArgsOf, dialCall } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { callPlacing } from "../metrics/service_metrics.ts";
import { placeSimulated } from "../trials/simulation/place.ts";
import type { AlsoUpdated } from "../model/record_types.ts";
import { notification } from "../webhooks/notify.ts";
import { callRequest } from "../webhooks/own_request.ts";
import type { CompanionState } from "../model/ports/companion_ports.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { Call } from "../model/resources/calls.ts";

/** Performs `dialCall`. */
export const dialCallHandler: JobHandler<ArgsOf<typeof dialCall>> = handler(dialCall, {
  maxAttempts: limits.dialAttempts, // Its age comes first.
  retryMs: exponential(250, 4_000),

  async work({ accountSid, callSid }, ports, run) {
    const call = await ports.records.calls.get(accountSid, callSid);
    if (call?.status !== "queued") return; // Canceled meanwhile, or this is a second run.
    const account = await ports.accounts.get(accountSid);
    if (account === null || await effectiveStatus(account, ports.accounts) !== "active") {
      return await fail(call, ports, { fault: "accountInactive", detail: accountSid });
    }
    const routing = await routeOf(call, account, ports);
    if ("fault" in routing) return await fail(call, ports, routing);
    const late = lateness(call, run, ports);
    if (late !== undefined) return await fail(call, ports, late);
    const { rateMicros, limited: _, ...called } = routing; // It was, when it was made.
    if (rateMicros !== call.rateMicros) { // Before it goes out: it might end at once.
      const refused = await ports.records.calls.update(accountSid, callSid, (call) => ({
        record: { ...call, rateMicros },
      })).then(() => null, limitFaultOf);
      if (refused !== null) {
        const { fault, detail = "" } = refused;
        return await fail(call, ports, { fault, detail });
      }
    }
    const { headers } = customHeaders(call.to.split("?").slice(1).join("?"));
    const sent = Object.keys(headers).length === 0 ? {} : { headers };
    const invitation = { leg: callSid, accountSid, ...tenantField(account), ...called, ...sent };
    const { timeout: timeoutS } = call;
    const ordered = { ...machineDetection(call), ...recordingOf(call) };
    const script: Script = [{ type: "invite", invitation, timeoutS, ...ordered }];
    if (isTest(account)) await placeSimulated(call, script, ports);
    else return await place(call, script, called.target, ports);
  },

  async spent({ accountSid, callSid }, ports, error) {
    const call = await ports.records.calls.get(accountSid, callSid);
    const detail = plainReason(error);
    if (call?.status === "queued") await fail(call, ports, { fault: "notDialled", detail });
    return [];
  },
});

/**
 * The fault of a call whose order is older than DIAL_MAX_AGE_S, such as after a partition: its requester has
 * given up. By the steady clock: a step of the wall clock makes no call old.
 */
export function lateness(
  call: Call,
  { since, madeAt }: JobRun,
  { settings: { dialMaxAgeMs }, steadyNow }: Ports,
): Unroutable | undefined {
  const waitedMs = steadyNow() - (since ?? madeAt) - dialDelayMs(call);
  if (waitedMs <= dialMaxAgeMs) return undefined;
  return { fault: "dialTooLate", detail: `no companion took it within ${dialMaxAgeMs / 1_000} s` };
}

/** Gives a companion the script that places a call. Returns the updates for the end of the job. */
export async function place(
  call: Call,
  script: Script,
  target: Target,
  ports: Ports,
): Promise<AlsoUpdated[]> {
  const { accountSid, sid: callSid } = call;
  const live = await liveCompanions(ports);
  // A companion that has the leg recognises its Sid, and places no second one.
  const reported = call.companion ?? call.monitoring?.companion ?? null;
  const holder = reported && (live.find(({ id }) => id === reported.id) ?? reported);
  const account = await ports.accounts.get(accountSid);
  const tenant = account === null ? accountSid : tenantOf(account);
  const at = holder ?? await companionFor({ target, tenant }, live, ports);
  const known = await withPeers(script, { at, live }, ports);
  const companion = await ports.control.run(callSid, known, { at });
  if (companion === null) throw new Fault("unavailable", "the companion refused the call");
  if (call.companion === null) {
    callPlacing.observe((callTime(call, ports) - call.dateCreated) / 1_000);
  }
  await noteCompanion(companion, live, ports);
  // The companion gets a cancellation from now on. An earlier one may have come before the call did.
  const placed = await ports.records.calls.get(accountSid, callSid);
  if (placed !== null && !isLive(placed.status)) {
    await ports.control.run(callSid, [{ type: "hangup" }], { at: companion });
  }
  return placed?.companion === null ? [heldBy(companion, call, ports)] : [];
}

/** Stores the companion in the call, unless the report of the INVITE came first and has done so. */
const heldBy = (companion: Companion, { accountSid, sid }: Call, ports: Ports): AlsoUpdated => ({
  into: "calls",
  accountSid,
  sid,
  change(call) {
    if (call.companion !== null) return call;
    const clockAheadMs = aheadOf(call, ports);
    return { ...call, companion, clockAheadMs, dateUpdated: callTime(call, ports) };
  },
});

/** Stores a companion that has sent no heartbeat yet: a sweep reads the calls of stored companions alone. */
async function noteCompanion(
  companion: Companion,
  live: CompanionState[],
  { companions, now }: Ports,
): Promise<void> {
  if (live.some(({ id }) => id === companion.id)) return;
  if (await companions.get(companion.id) !== null) return;
  await companions.beat({ ...companion, seenAt: now(), registered: 0 });
}

/** Answering machine detection that the call asks for; empty without it. */
const machineDetection = (call: Call) => {
  const { machineDetection: wanted, asyncAmd } = call;
  if (wanted === null || wanted === undefined) return {};
  return {
    machineDetection: {
      timeoutS: call.machineDetectionTimeout,
      untilEnd: wanted === "DetectMessageEnd",
      // A call stored by a version without them has none.
      speechThresholdMs: call.machineDetectionSpeechThreshold ?? limits.machineSpeechMs[1],
      speechEndMs: call.machineDetectionSpeechEndThreshold ?? limits.machineSpeechEndMs[1],
      silenceMs: call.machineDetectionSilenceTimeout ?? limits.machineSilenceMs[1],
      ...asyncAmd && { isAsync: true },
      ...asyncAmd?.callback && { callback: asyncAmd.callback },
    },
  };
};

/** Recording that the call asks for; empty without one. Each attempt has the same Sid. */
const recordingOf = ({ accountSid, sid: callSid, dateCreated: at, recording: wanted }: Call) => {
  if (!wanted) return {};
  const sid = sidOfCause(recordings.sidPrefix, { at, id: `${callSid} recorded` });
  const order = orderOf(wanted, { accountSid, sid, source: "OutboundAPI" });
  return { record: order.recording, recordingManner: order.recordingManner };
};

/** The route of a call, or the fault if there is none. */
export async function routeOf(call: Call, account: Account, ports: Ports): Promise<Routing> {
  const address = parseAddress(call.to);
  if (address === null) return { fault: "noRoute", detail: call.to };
  const { from, gatewaySid, validation } = call;
  const provesCallee = Boolean(validation);
  return await routeTo(address, { account, from, call: null, gatewaySid, provesCallee }, ports);
}

/** Faults after which a call never left, by the cause that its record names. */
const causes: { [F in FaultName]?: ServiceCause } = {
  noRoute: "unreachable",
  notRegistered: "unreachable",
  trunkUnreachable: "unreachable",
  notDialled: "not-placed",
  dialTooLate: "not-placed",
  documentInvalid: "error",
  concurrentCallsLimit: "limit",
  callsPerSecondLimit: "limit",
  spendPerDayLimit: "limit",
};

const causeOf = ({ fault }: Unroutable): ServiceCause => causes[fault] ?? "not-allowed";

/** Ends a call that no companion holds, with the callback and a Notification of the reason, if any. */
export async function fail(
  { accountSid, sid: callSid }: Call,
  ports: Ports,
  reason?: Unroutable,
): Promise<void> {
  const { instanceId } = ports.settings;
  await ports.records.calls.update(accountSid, callSid, (call) => {
    const moment = { at: callTime(call, ports), instanceId };
    const change = end(call, "failed", moment, reason && { by: "service", cause: causeOf(reason) });
    if (change.record === call || reason === undefined) return change;
    const exchange = callRequest(call, ports);
    const notice = { accountSid, callSid, ...reason, level: "error" } as const;
    return { ...change, also: [notification({ ...notice, exchange }, ports)] };
  });
}
