/**
 * Script requests of many legs share HTTP requests, since a request costs service and companion
 * more than the report in it. Those that arise before the response to the last request has begun go
 * with the next one: at most 16 together, none waits for more than 100 ms. The service answers each
 * by a line of its own. A leg withdraws its request by its next report, or by the end of the HTTP
 * request.
 */
import { learnedTenant } from "../../core/base/learned_tenants.ts";
import type { ScriptAnswer, SentReport } from "../../core/protocol/companion.ts";
import type { Script } from "../../core/protocol/script.ts";
import { overReason } from "../../core/base/abort.ts";
import { sipLimits } from "../base/limits.ts";
import { failureOf } from "./service_link.ts";
import { refusalOf, ServiceError, type ServiceLink } from "./service_link.ts";
import type { Timers } from "../base/timers.ts";

/** Requests the next script of a leg; rejects with `ServiceError`, or when the signal aborts. */
export type RequestScript = (report: SentReport, signal: AbortSignal) => Promise<Script>;

/** Makes the sender of script requests of all legs of a companion. */
export function createScriptRequester(
  link: Pick<ServiceLink, "scripts">,
  timers: Timers,
): RequestScript {
  let queue: OpenRequest[] = [];
  let isWaiting = false;

  function sendNext(): void {
    queue = queue.filter(({ isOver }) => !isOver);
    isWaiting = queue.length > 0;
    if (!isWaiting) return;
    let hasBegun = false;
    const onBegin = () => {
      if (hasBegun) return;
      hasBegun = true;
      stop();
      sendNext();
    };
    const stop = timers.after(sipLimits.scriptRequestsWaitMs, onBegin);
    const group = inTurns(queue).slice(0, sipLimits.scriptRequestsAtOnce);
    const taken = new Set(group);
    queue = queue.filter((one) => !taken.has(one));
    void send(link, group, onBegin).then(onBegin);
  }

  return (report, signal) => {
    const request = openRequest(report, signal);
    queue.push(request);
    // Requests of the same turn of the event loop go along.
    if (!isWaiting) queueMicrotask(sendNext);
    isWaiting = true;
    return request.script;
  };
}

/** Requests in turns: the first one of each tenant, then the second ones. */
function inTurns(queue: OpenRequest[]): OpenRequest[] {
  if (queue.length <= sipLimits.scriptRequestsAtOnce) return queue;
  const turns: OpenRequest[][] = [];
  const asked = new Map<string, number>();
  for (const one of queue) {
    const tenant = learnedTenant(one.report.accountSid);
    const turn = asked.get(tenant) ?? 0;
    asked.set(tenant, turn + 1);
    if (turn < sipLimits.scriptRequestsAtOnce) (turns[turn] ??= []).push(one);
  }
  return turns.flat();
}

/** A request for a script that is not answered yet. */
interface OpenRequest {
  readonly report: SentReport;
  readonly script: Promise<Script>;
  isOver: boolean;
  /** Called when the leg waits no longer. */
  onLeft(): void;
  settle(answer: ScriptAnswer): void;
  reject(error: unknown): void;
}

function openRequest(report: SentReport, signal: AbortSignal): OpenRequest {
  const { promise, resolve, reject } = Promise.withResolvers<Script>();
  const end = () => {
    request.isOver = true;
    signal.removeEventListener("abort", leave);
  };
  const leave = () => {
    request.reject(new Error("Nobody waits for the script any more"));
    request.onLeft();
  };
  const request: OpenRequest = {
    report,
    script: promise,
    isOver: false,
    onLeft() {},
    settle({ outcome, script }) {
      end();
      const refusal = refusalOf(outcome);
      if (refusal === undefined) resolve(script);
      else reject(refusal);
    },
    reject(error) {
      end();
      reject(error);
    },
  };
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  return request;
}

/** Sends one HTTP request, and aborts it when all legs have left. Never rejects. */
async function send(
  link: Pick<ServiceLink, "scripts">,
  group: OpenRequest[],
  onBegin: () => void,
): Promise<void> {
  const left = new AbortController();
  for (const request of group) {
    request.onLeft = () => {
      if (group.every(({ isOver }) => isOver)) left.abort(overReason);
    };
  }
  try {
    await link.scripts({ reports: group.map(({ report }) => report) }, {
      signal: left.signal,
      onBegin,
      onAnswer: (answer) => group[answer.at]?.settle(answer),
    });
    throw new ServiceError("ask the service", "it left a request open", "outage");
  } catch (error) {
    const open = group.filter(({ isOver }) => !isOver);
    // A request that either side cannot read must not cost those that were sent with it.
    if (group.length > 1 && failureOf(error) === "refusal") {
      await Promise.all(open.map((request) => send(link, [request], () => {})));
    } else for (const request of open) request.reject(error);
  }
}
