import type { Report, TakenReport } from "../protocol/companion.ts";
import type { Script } from "../protocol/script.ts";
import { aheadOf } from "../calls/call_time.ts";
import { steadyFrom } from "../base/steady_clock.ts";
import { withPeers } from "../companions/companions.ts";
import { actionScript, type ScriptContext } from "../documents/next_script.ts";
import type { Job } from "../model/job.ts";
import type { Change } from "../model/store.ts";
import type { Ports } from "../model/ports/ports.ts";
import { refuseWhileUnwritable } from "../model/ports/writable.ts";
import type { Call } from "../model/resources/calls.ts";
import { limitFaultOf } from "../model/values/account_limits.ts";
import { isLive } from "../model/values/status.ts";
import { type Changing, ruleOf } from "./leg_events.ts";
import { type Noted, notedBy } from "./noted.ts";
import type { StepResult } from "./step_result.ts";

/**
 * Takes one report of a companion: commits what it says, then finds the script that answers it;
 * `leg_events.ts` has the rule for each type of event. A repeated report changes nothing and is
 * answered again; one about a call that has ended meanwhile is answered with a hang-up.
 */
export async function handleReport(
  sent: TakenReport,
  ports: Ports,
  signal: AbortSignal,
): Promise<Script> {
  const report = dated(sent, ports);
  const { event } = report;
  const rule = ruleOf(event);
  const order = event.type === "noted" ? await notedBy(event, sent, ports) : null;
  const { call, noted } = await commitNoted(report, order, ports);
  if (call !== null) await rule.settle?.(event, call, report, ports);
  if (event.type === "ended") return [];
  if (call === null) return rule.withoutCall ?? [{ type: "hangup" }];
  if (!isLive(call.status)) return [rule.whenOver?.(call) ?? { type: "hangup" }];
  if (!report.wantsScript) return [];
  refuseWhileUnwritable(ports); // Before the application is requested: it would be requested again.
  const cause = { at: sent.at, id: `${report.leg} ${report.seq}` };
  const context = { call, ports, signal, cause };
  const script = await rule.script?.(event, context) ?? await nextScript(report, noted, context);
  return await withPeers(script, { at: report.companion }, ports);
}

/** Commits what a report says, without the order of a `note` that a limit of the account refuses. */
async function commitNoted(
  report: TakenReport,
  noted: Noted | null,
  ports: Ports,
): Promise<{ call: Call | null; noted: Noted | null }> {
  try {
    return { call: await commit(report, noted, ports), noted };
  } catch (error) {
    if (noted?.instead === undefined) throw error;
    const refused = noted.instead(limitFaultOf(error));
    return { call: await commit(report, refused, ports), noted: refused };
  }
}

/**
 * A report with its times by the clock of this service; `at` of the one that was sent is the same in each
 * repeat.
 */
function dated(report: TakenReport, { now }: Ports): TakenReport {
  const { at, ageMs, earlier } = report;
  if (ageMs === undefined) return report; // Of a companion of a former version.
  const behindMs = now() - ageMs - at;
  const moved = <T extends { at: number }>(one: T): T => ({ ...one, at: one.at + behindMs });
  return { ...moved(report), ...earlier && { earlier: earlier.map(moved) } };
}

/** The script at the action of a step's result. */
async function nextScript(
  report: Report,
  noted: Noted | null,
  context: ScriptContext,
): Promise<Script> {
  const result = await resultOf(report, noted, context);
  return result === null ? [] : await actionScript(result.action, result.params, context);
}

/** Commits what a report says; the call as it is then, null when there is none. */
async function commit(
  report: TakenReport,
  noted: Noted | null,
  ports: Ports,
): Promise<Call | null> {
  const { leg, accountSid, at, event, hasEnded } = report;
  const opened = ruleOf(event).open?.(event, report, ports);
  if (opened !== undefined) return await opened;
  const { calls } = ports.records;
  const call = await calls.get(accountSid, leg);
  if (call === null) return null;
  const result = report.wantsScript ? null : await resultOf(report, noted, { call, ports });
  const { steadyAt = steadyFrom(at, ports) } = report;
  const changing = { at, steadyAt, result, noted, hasEnded, ports };
  return await calls.update(accountSid, leg, (call) => changed(call, report, changing));
}

/** The context of a change, with its times by the wall clock and the steady clock, in ms. */
type Dated = Omit<Changing, "moment"> & { at: number; steadyAt: number };

/** The change that a report makes, after those that came with it. */
function changed(call: Call, report: TakenReport, changing: Dated): Change<Call> {
  const { earlier = [], companion } = report;
  let record = call;
  const jobs: Job[] = []; // Progress causes no more.
  for (const { at, ...one } of earlier) {
    const steadyAt = changing.steadyAt + at - changing.at;
    const alone = { ...changing, at, steadyAt, result: null, noted: null, hasEnded: undefined };
    const change = changedBy(record, { ...one, companion }, alone);
    record = change.record;
    jobs.push(...change.jobs ?? []);
  }
  const change = changedBy(record, report, changing);
  return jobs.length === 0 ? change : { ...change, jobs: [...jobs, ...change.jobs ?? []] };
}

/** The change that one report makes. `seq` identifies a repeat, which changes nothing. */
function changedBy(
  call: Call,
  { event, seq, companion }: Pick<Report, "event" | "seq" | "companion">,
  { at: _, steadyAt, ...changing }: Dated,
): Change<Call> {
  if (seq < call.reports) return { record: call };
  const { ports } = changing;
  const clockAheadMs = aheadOf(call, ports);
  const taken: Call = { ...call, reports: seq + 1, companion, clockAheadMs };
  const moment = { at: steadyAt + clockAheadMs, instanceId: ports.settings.instanceId };
  return ruleOf(event).change?.(taken, event, { ...changing, moment }) ?? { record: taken };
}

async function resultOf(
  { event }: Report,
  noted: Noted | null,
  { call, ports }: Pick<ScriptContext, "call" | "ports">,
): Promise<StepResult | null> {
  if (noted !== null) return noted.result;
  return await ruleOf(event).result?.(event, call, ports) ?? null;
}
