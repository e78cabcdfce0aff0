import type { Script } from "../../../core/protocol/script.ts";
import type { UssdStep } from "../../../core/protocol/ussd.ts";
import { unlessAborted, whenAborted } from "../../../core/base/abort.ts";
import { ussdIn, ussdInfoHeaders, type UssdSaid, writeUssd } from "../../text/ussd_body.ts";
import { returnedAction, type ScriptRun } from "./script_run.ts";

/** Shows a text in a USSD dialogue; a report when something was replied, the end when nothing was. */
export async function ussd(
  run: ScriptRun,
  { message, collect, invited = false, action }: UssdStep,
): Promise<Script | void> {
  const { live, signal, calls: { signalling: { log } } } = run;
  const { leg } = live;
  if (!leg.isUssd) {
    log("Cannot show a USSD message in a call", { leg: leg.id });
    return leg.hangup();
  }
  if (leg.direction === "inbound") leg.acceptUssd();
  if (!await unlessAborted(leg.whenAnswered, signal)) return;
  await Promise.race([leg.dialog?.confirmed(), whenAborted(signal)]);
  if (signal.aborted) return;
  if (!collect && !invited) return leg.hangup({ content: writeUssd(message, "end") });
  run.tookTime = true;
  const said = await replyTo(run, { message, collect, invited });
  if (!collect) return leg.hangup();
  if (signal.aborted) return;
  if (said === undefined || said.isError) return leg.hangup();
  if (action === undefined) {
    run.typed = said.text;
    return;
  }
  const event = {
    type: "collected",
    text: said.text,
    action: returnedAction(run, action),
  } as const;
  return await live.requestScript(event, { signal });
}

/**
 * Asks by INFO, unless that was done, and takes the INFO that replies, or confirms a text that wants
 * no reply (3GPP TS 24.390 §4.5); undefined without one in time.
 */
async function replyTo(
  run: ScriptRun,
  { message, collect, invited }: Pick<UssdStep, "message" | "collect" | "invited">,
): Promise<UssdSaid | undefined> {
  const { live: { leg }, signal, calls: { signalling: { timers, ussdBounds } } } = run;
  const { promise, resolve } = Promise.withResolvers<UssdSaid | undefined>();
  void (invited && run.reply || nextReply(leg)).then(resolve);
  const stopWaiting = timers.after(
    collect ? ussdBounds.replyMs : ussdBounds.shownMs,
    () => resolve(undefined),
  );
  try {
    if (!invited) {
      const body = writeUssd(message, "ask");
      void leg.dialog?.request("info", { headers: ussdInfoHeaders, body })
        .then((status) => status >= 300 && resolve(undefined));
    }
    return await Promise.race([promise, whenAborted(signal).then(() => undefined)]);
  } finally {
    stopWaiting();
    leg.onContent = undefined;
  }
}

/** Text of the next INFO of USSD in a leg. */
export function nextReply(leg: ScriptRun["live"]["leg"]): Promise<UssdSaid> {
  const { promise, resolve } = Promise.withResolvers<UssdSaid>();
  leg.onContent = (content) => {
    const found = ussdIn(content);
    if (found === undefined) return 400;
    resolve(found.said);
    return 200;
  };
  return promise;
}
