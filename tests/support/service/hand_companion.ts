import assert from "node:assert/strict";
import type { Report } from "../../../core/protocol/companion.ts";
import type { LegEvent } from "../../../core/protocol/events.ts";
import { handleReport } from "../../../core/reports/handle_report.ts";
import type { ApiClient } from "./api_client.ts";
import type { App } from "./app.ts";

/** The companion that every call of these tests is at. */
export const companion = { id: "companion", runId: "run" };
const signal = new AbortController().signal;
const context = [
  "incoming",
  "incomingNumber",
  "refer",
  "answered",
  "detected",
  "next",
  "gathered",
  "collected",
  "dialled",
  "consulting",
  "waiting",
  "left",
  "dequeued",
  "streamed",
];

/** A markup document. */
export const xml = (body: string) =>
  new Response(`<Response>${body}</Response>`, { headers: { "content-type": "text/xml" } });

/** A companion that a test moves by hand: one report after the other. */
export function companionOf(app: App, leg: string, accountSid = app.root.sid) {
  let seq = 0;
  const sent: Report[] = [];
  return {
    async report(event: LegEvent, options: Partial<Report> = {}) {
      const wantsScript = context.includes(event.type) ||
        (event.type === "noted" || event.type === "conversed") && event.action !== undefined;
      const envelope = { companion, leg, accountSid, seq: seq++, at: app.clock.now, wantsScript };
      sent.push({ ...envelope, event, ...options });
      return await handleReport(sent.at(-1)!, app.ports, signal);
    },
    /** Sends the last report once more, as after a lost answer. */
    repeat: async () => await handleReport(sent.at(-1)!, app.ports, signal),
  };
}

/** Reports of an outbound call that is answered and ends, with the jobs before and after. */
export async function reportWholeCall(app: App, sid: string): Promise<void> {
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report({ type: "inviting", from: "+15550001", to: "client:alice", sipCallId: "1" });
  await leg.report({ type: "ringing" });
  await leg.report({ type: "answered" });
  await leg.report({ type: "ended", outcome: "completed" });
  await app.runJobs();
}

/**
 * The legs whose call the companions were ordered to end now or soon, in the order of the orders.
 */
export const hungUp = ({ scripts }: Pick<App, "scripts">): string[] =>
  scripts.flatMap(({ leg, script: [step] }) =>
    step?.type === "hangup" && (step.afterMs ?? 0) < 60_000 ? [leg] : []
  );

/** A call as the REST interface shows it. */
export const callOf = async (app: App, sid: string, account = app.root) =>
  (await account.get(`Calls/${sid}.json`)).json();

/** Notifications of an account, latest first. */
export async function notifications(app: App, account: ApiClient = app.root): Promise<string[]> {
  const { notifications } = (await account.get("Notifications.json")).json();
  return notifications.map((one: { message_text: string }) => one.message_text);
}

/** Makes something by REST. */
export async function made(account: ApiClient, path: string, form: Record<string, string>) {
  const answer = await account.post(`${path}.json`, form);
  assert.equal(answer.status, 200, answer.text);
  return answer.json();
}
