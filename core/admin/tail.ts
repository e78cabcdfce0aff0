import { parseArgs } from "node:util";
import { plainReason } from "../base/plain_reason.ts";
import { limits } from "../base/limits.ts";
import { readEvents } from "../webhooks/read_events.ts";
import type { StreamedEvent } from "../webhooks/event_summary.ts";
import { fail, say } from "../machine/process/process.ts";
import { connect } from "./connection.ts";
import { lineOf } from "./event_lines.ts";
import type { Connection } from "./service.ts";

const help = [
  "deno task tail [--type call,notification] [--call SID] [--account SID] [--json]",
  "  Prints what changes in an account as it happens, until it is interrupted. Without a terminal",
  "  each line is a JSON object.",
  "  --type      some of call, message, email, notification, delivery, document, recording,",
  "              transcription, stream, conference, participant, queue, geolocation, audit",
  "  --call      a Sid: that record, and what names it; --sid is the same",
  "  --account   a sub-account, in place of the caller's own",
  "  --after     the id of an event: what came after it first",
  "  --url, --account-sid  where to connect, as `deno task admin help` says",
].join("\n");

/** In ms: before the first new try and the longest wait; silence after which a stream is dead. */
const [firstWaitMs, longestWaitMs, silenceMs] = [500, 15_000, 45_000];

/** The followed events, and how they are printed. */
interface Followed extends Connection {
  account: string;
  query: URLSearchParams;
  print(event: StreamedEvent): void;
  /** Writes a note about the connection, for people. */
  note(text: string): void;
}

/** The interface refuses; another try would not help. */
class Refused extends Error {}

/** Prints events until the process ends; connects again from the last one. */
async function follow({ url, account, query, print, note, ...caller }: Followed): Promise<never> {
  const address = `${url}/${limits.apiVersion}/Accounts/${account}/Events`;
  const authorization = `Basic ${btoa(`${caller.accountSid}:${caller.authToken}`)}`;
  let lastId = query.get("LastEventId") ?? "";
  let waitMs = firstWaitMs;
  query.delete("LastEventId");

  async function readOnce(): Promise<string> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new Error("nothing came for a while")), silenceMs);
    const alive = () => timer.refresh();
    try {
      const headers = { authorization, ...lastId && { "last-event-id": lastId } };
      const response = await fetch(`${address}?${query}`, { headers, signal: silence.signal });
      if (!response.ok) await refuse(response);
      if (response.body === null) return "the response has no body";
      for await (const { name, id, data } of readEvents(response.body, alive)) {
        lastId = id;
        if (name === "open") waitMs = firstWaitMs;
        else if (name === "message") print(JSON.parse(data));
        else note(JSON.parse(data).message);
        if (name === "end" && JSON.parse(data).reason === "access") {
          throw new Refused(`${url}: ${JSON.parse(data).message}`);
        }
      }
      return "the stream ended";
    } finally {
      clearTimeout(timer);
    }
  }

  for (;;) {
    let reason: string;
    try {
      reason = await readOnce();
    } catch (error) {
      if (error instanceof Refused) throw error;
      reason = plainReason(error);
    }
    note(`${reason}; connecting again`);
    await new Promise((wake) => setTimeout(wake, waitMs));
    waitMs = Math.min(waitMs * 2, longestWaitMs);
  }
}

/** Throws `Refused` for what the caller must mend, and an Error for what may pass. */
async function refuse(response: Response): Promise<never> {
  const text = await response.text();
  const message = /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? text.slice(0, 200);
  const said = `the service answered ${response.status}: ${message}`;
  const mayPass = response.status >= 500 || response.status === 429;
  throw mayPass ? new Error(said) : new Refused(said);
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      type: { type: "string", multiple: true },
      call: { type: "string" },
      sid: { type: "string" },
      account: { type: "string" },
      after: { type: "string" },
      json: { type: "boolean" },
      url: { type: "string" },
      "account-sid": { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return say(help);
  const { config: _, ...connection } = connect(values);
  const sid = values.call ?? values.sid;
  const query = new URLSearchParams({
    ...values.type && { Type: values.type.join(",") },
    ...sid !== undefined && { Sid: sid },
    ...values.after !== undefined && { LastEventId: values.after },
  });
  const isForPeople = !values.json && Deno.stdout.isTerminal();
  const isColoured = isForPeople && !Deno.noColor;
  await follow({
    ...connection,
    account: values.account ?? connection.accountSid,
    query,
    print: (event) =>
      say(isForPeople ? lineOf(event, { isColoured, now: Date.now() }) : JSON.stringify(event)),
    note: (text) => isForPeople && say(`-- ${text}`),
  });
}

if (import.meta.main) {
  try {
    await run();
  } catch (error) {
    fail(error);
  }
}
