import type { Action } from "../protocol/action.ts";
import type { LegEvent } from "../protocol/events.ts";
import { keyInput } from "../protocol/gather.ts";
import type { Script, Step } from "../protocol/script.ts";
import { notedBy } from "../reports/noted.ts";
import { ruleOf } from "../reports/leg_events.ts";
import { limits } from "../base/limits.ts";
import { isFlow } from "../model/flows/address.ts";
import type { Signable } from "../base/signature.ts";
import { addResult, note, type Run, takeInput } from "./run_flow.ts";
import { enqueueOrder, isDequeue, takeFromQueue, waitInQueue } from "./simulated_queue.ts";
import { ended } from "./flow_trace.ts";

/** The next document of a script, and the number of documents in a row that took no time. */
export interface Next {
  source: Signable;
  hops: number;
}

/** Seconds that a simulated callee rings. */
const ringS = 5;
const talkedS = 60;

/**
 * Performs a script as a companion would, with the inputs of the dry run as caller. `unrouted` is how
 * many legs of its dial have no route. Resolves with the document that it leads to. Throws RunOver where
 * an input is awaited or the call ends.
 */
export async function simulateScript(script: Script, unrouted: number, run: Run): Promise<Next> {
  let tookTime = false;
  for (const step of script) {
    const goesNowhere = step.type === "dial" && unrouted >= step.legs.length;
    const came = goesNowhere ? await failedDial(step, run) : await performStep(step, run);
    tookTime ||= takesTime.has(step.type);
    if (came !== undefined) return nextOf({ ...came, tookTime }, run);
  }
  throw ended("hangup", "The flow ends, and the call with it");
}

const takesTime = new Set<Step["type"]>([
  "say",
  "play",
  "silence",
  "gather",
  "record",
  "dial",
  "consult",
  "ussd",
]);

/** An action with what the step before it brought. */
interface Came {
  action: Action | undefined;
  params: Record<string, string>;
}

/** Result of a step, for the document at its action; undefined: the next step follows. */
async function performStep(step: Step, run: Run): Promise<Came | undefined> {
  switch (step.type) {
    case "answer":
      run.call = { ...run.call, status: "in-progress", startTime: run.ports.now() };
      return;
    case "say":
    case "play":
      if (step.loop === 0) {
        takeInput(run, ["hangup"]);
        throw callerLeft();
      }
      return;
    case "gather":
      return await gather(step, run);
    case "record":
      return await record(step, run);
    case "dial":
      return await dial(step, run);
    case "consult":
      return await joinOther(step, run);
    case "ussd":
      return await showUssd(step, run);
    case "note":
      return await perform(step, run);
    case "next":
      return { action: step.action, params: {} };
    case "hangup":
    case "connect":
    case "reject":
      throw ended("hangup", "The flow hangs up");
  }
}

const callerLeft = () => ended("caller", "The caller hangs up");

/** Result of an event, by the rule that holds on a call. */
async function broughtBy(event: LegEvent, run: Run): Promise<Came | undefined> {
  const call = { accountSid: run.account.sid, apiVersion: limits.apiVersion };
  const result = await ruleOf(event).result?.(event, call, run.ports) ?? null;
  return result === null ? undefined : { action: result.action, params: result.params };
}

async function gather(step: Step & { type: "gather" }, run: Run): Promise<Came | undefined> {
  const input = takeInput(run, [
    ...step.keys ? ["keys" as const] : [],
    ...step.speech ? ["speech" as const] : [],
    "nothing",
    "hangup",
  ]);
  if (input.type === "hangup") throw callerLeft();
  if (input.type === "nothing" || step.action === undefined) return;
  const { action } = step;
  if (input.type === "speech") {
    const speech = { text: input.text, confidence: input.confidence ?? 1 };
    return await broughtBy({ type: "gathered", digits: "", speech, action }, run);
  }
  // It takes keys, or the input would not fit.
  const digits = typed(step.keys!, input.digits, run);
  return digits === "" ? undefined : await broughtBy({ type: "gathered", digits, action }, run);
}

/** The keys that a gather takes; the others are noted. */
function typed(
  keys: NonNullable<(Step & { type: "gather" })["keys"]>,
  pressed: string,
  run: Run,
): string {
  const input = keyInput(keys);
  for (const [at, key] of [...pressed].entries()) {
    if (input.take(key) !== "done") continue;
    const rest = pressed.slice(at + 1);
    if (rest !== "") note(run, `The keys ${rest} come after the end of the input`);
    break;
  }
  return input.typed;
}

async function record(step: Step & { type: "record" }, run: Run): Promise<Came | undefined> {
  const input = takeInput(run, ["recording", "nothing", "hangup"]);
  if (input.type === "hangup") throw callerLeft();
  if (input.type === "nothing" || step.action === undefined) return;
  const { recording: { sid }, action, maxLengthS } = step;
  const ends = input.key !== undefined && step.finishOnKey.includes(input.key);
  if (input.key !== undefined && !ends) note(run, `The key ${input.key} does not end it`);
  run.hasHungUp ||= input.hangup === true;
  const digits = run.hasHungUp ? "hangup" : ends ? input.key : undefined;
  const recording = { sid, durationS: Math.min(input.seconds, maxLengthS) };
  return await broughtBy({ type: "recorded", recording, ...digits && { digits }, action }, run);
}

async function dial(step: Step & { type: "dial" }, run: Run): Promise<Came | undefined> {
  const input = takeInput(run, ["call", "hangup"]);
  const isAnswered = input.type === "call" && input.status === "completed";
  run.hasHungUp ||= input.type === "hangup" || input.hangup === true;
  const durationS = isAnswered ? Math.min(input.seconds ?? talkedS, step.timeLimitS) : 0;
  return await broughtBy({
    type: "dialled",
    outcome: input.type === "hangup" ? "canceled" : input.status,
    leg: step.legs[0]!.leg, // A dial has one leg at least.
    durationS,
    ringS,
    ...isAnswered && step.record && { recording: { sid: step.record.sid, durationS } },
    action: step.action,
  }, run);
}

/** The result of a dial in which no leg has a route: it fails without a call. */
const failedDial = (
  { legs, action }: Step & { type: "dial" },
  run: Run,
): Promise<Came | undefined> => {
  const { leg } = legs[0]!; // A dial has one leg at least.
  const dialled = { type: "dialled", outcome: "failed", leg, durationS: 0, ringS: 0 } as const;
  return broughtBy({ ...dialled, action }, run);
};

/** Enters a queue or a conference, or takes the next caller of a queue. */
async function joinOther(step: Step & { type: "consult" }, run: Run): Promise<Came | undefined> {
  const { serviceContext, action } = step;
  const left = enqueueOrder(serviceContext) !== null
    ? waitInQueue(action, run)
    : isDequeue(serviceContext)
    ? takeFromQueue(action, run)
    : null;
  if (left === null) return await joinConference(step, run);
  return "event" in left ? await broughtBy(left.event, run) : left;
}

async function joinConference(
  { action }: Step & { type: "consult" },
  run: Run,
): Promise<Came | undefined> {
  const input = takeInput(run, ["call", "hangup"]);
  const outcome = input.type === "hangup"
    ? "completed"
    : input.status === "no-answer"
    ? "failed"
    : input.status;
  run.hasHungUp ||= input.type === "hangup" || input.hangup === true;
  const durationS = input.type === "call" && outcome === "completed" ? input.seconds ?? talkedS : 0;
  const conferenceSid = run.ports.newSid("CF");
  return await broughtBy({ type: "left", conferenceSid, outcome, durationS, action }, run);
}

async function showUssd(
  { collect, action }: Step & { type: "ussd" },
  run: Run,
): Promise<Came | undefined> {
  if (!collect) throw ended("hangup", "The dialogue ends with this text");
  const input = takeInput(run, ["reply", "nothing", "hangup"]);
  if (input.type === "hangup") throw ended("caller", "The subscriber ends the dialogue");
  if (input.type === "nothing") throw ended("caller", "The subscriber does not reply in time");
  if (action === undefined) return;
  return await broughtBy({ type: "collected", text: input.text, action }, run);
}

/** Result of an order. Its record is made as on a call, and not stored. */
export async function perform(
  { serviceContext, action }: Pick<Step & { type: "note" }, "serviceContext" | "action">,
  run: Run,
): Promise<Came | undefined> {
  const { call, account, ports, used, steps } = run;
  const noted = await notedBy({ type: "noted", serviceContext, action }, {
    accountSid: account.sid,
    leg: call.sid,
    at: ports.now(),
    seq: used + steps.length,
  }, ports);
  for (const { into, record } of noted.also) {
    if (into === "notifications") note(run, (record as { messageText: string }).messageText);
  }
  return noted.result ?? undefined;
}

/** The document that an action asks for. Throws RunOver where that is none of the flow. */
export function nextOf(came: Came & { tookTime: boolean }, run: Run): Next {
  addResult(run, came.params);
  const { action, tookTime } = came;
  if (action === undefined) throw ended("hangup", "The flow ends, and the call with it");
  const { url, method, params } = action;
  if (!isFlow(url)) throw ended("redirect", `The markup at ${url} takes over (${method})`);
  const hops = tookTime ? 0 : action.hops;
  if (hops > limits.documentHops) {
    throw ended("failed", `${limits.documentHops} documents in a row took no time`);
  }
  const digits = action.digits === undefined ? {} : { Digits: action.digits };
  return { source: { url, method, params: { ...digits, ...params, ...came.params } }, hops };
}
