import type { Child } from "hono/jsx";
import { type CallStatus, isLive } from "../../../core/model/values/status.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import type { Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import { Act, Empty, Facts, Heading, priced, seconds, Sid, Status, Time } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readCall, type WholeCall } from "./call_parts.ts";
import { endSentence, failedDial } from "./call_end.ts";
import { entriesOf } from "./call_entries.tsx";
import { isEndedBy } from "../faults/ended_by_error.ts";
import { adviceOf, errorPath } from "../build/advice.ts";
import { Recordings } from "./call_recordings.tsx";
import { directionOf } from "./call_columns.tsx";

/** The page of a call: its data, and its events in order of time. */
export async function showCall(c: Page, ports: Ports): Promise<Response> {
  const whole = await readCall(c.var.api, c.req.param("sid") ?? "");
  const { call } = whole;
  const below = belowOf(c, ports);
  const isRunning = isLive(call.status as CallStatus);
  const entries = entriesOf(whole, { below, csrf: c.var.csrf });
  const title = `${call.from} → ${call.to}`;
  const content = (
    <>
      <Heading
        title={title}
        kind={`Call, ${directionOf(call).replace(/^./, (first) => first.toLowerCase())}`}
      >
        {isRunning && <Steer call={call} below={below} csrf={c.var.csrf} />}
      </Heading>
      <div
        id="live"
        data-live={isRunning ? "2" : undefined}
        data-events={isRunning ? `${below}/Events?Sid=${call.sid}` : undefined}
      >
        <section class="card summary">
          <div class="verdict" aria-live="polite">
            <p>
              <Status value={call.status} /> {verdictOf(whole)}
            </p>
            <Cure error={errorOf(whole)} below={below} />
          </div>
          <Facts facts={factsOf(whole, { below, settings: ports.settings })} />
        </section>
        {whole.recordings.length > 0 && <Recordings {...whole} below={below} />}
        <section class="card">
          <h2>Timeline</h2>
          {entries.length === 0 ? <Empty>Nothing has happened yet.</Empty> : (
            <ol class="timeline">
              {entries.map(({ at, kind, look = "", content }) => (
                <li class={look}>
                  <div class="when">
                    <Time at={at} part={partOf(at, entries[0]?.at ?? at)} />
                    <span class="soft">{offset(at, entries[0]?.at ?? at)}</span>
                  </div>
                  <div class="what">
                    <p class="kind">{kind}</p>
                    {content}
                  </div>
                </li>
              ))}
            </ol>
          )}
        </section>
      </div>
    </>
  );
  return showPage(c, { title, section: "Calls", content }, ports);
}

/** Entries this long after the first one, in ms, show their day too. */
const longAfterMs = 12 * 3_600_000;

const partOf = (at: number, first: number) => at - first < longAfterMs ? "clock" : undefined;

/** Time since the first entry. */
function offset(at: number, first: number): string {
  const ms = at - first;
  return ms === 0 ? "" : `+${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

const factsOf = (
  { call, progress }: WholeCall,
  { below, settings }: { below: string; settings: Ports["settings"] },
): [string, Child][] => [
  ["Sid", <code class="sid">{call.sid}</code>],
  ["Started", call.start_time ? <Time at={call.start_time} /> : null],
  ["Ended", call.end_time ? <Time at={call.end_time} /> : null],
  ["Duration", call.duration === null ? null : seconds(call.duration)],
  ["Price", call.price ? priced(call.price, settings) : null],
  ["Caller", call.caller_name ? String(call.caller_name) : null],
  ["Answered by", call.answered_by ? String(call.answered_by) : null],
  ["Forwarded from", call.forwarded_from ? String(call.forwarded_from) : null],
  [
    "Gateway",
    progress?.gateway_sid
      ? <Sid sid={progress.gateway_sid} below={below} label={progress.gateway_name ?? "Gateway"} />
      : null,
  ],
  ["Number", call.phone_number_sid ? <Sid sid={call.phone_number_sid} below={below} /> : null],
  [
    "Placed by",
    call.parent_call_sid
      ? <Sid sid={call.parent_call_sid} below={below} label="its parent call" />
      : null,
  ],
  [
    "Hung up by",
    progress?.requested_by_sid
      ? (
        <>
          {progress.requested_by_name ?? "An account above,"} {progress.requested_by_name === null
            ? progress.requested_by_sid
            : <Sid sid={progress.requested_by_sid} below={below} />}
        </>
      )
      : null,
  ],
];

/** The error that decided how the call went: its last one. */
const errorOf = ({ notifications }: WholeCall): Row | undefined =>
  notifications.findLast(({ log }) => log === 0);

/** Place of the error, and advice. */
function Cure({ error, below }: { error: Row | undefined; below: string }) {
  if (error === undefined) return null;
  const advice = adviceOf(error.error_code, error.message_text);
  return (
    <>
      {error.request_url && (
        <p class="soft">{String(error.request_method ?? "")} {String(error.request_url)}</p>
      )}
      {advice && (
        <p class="advice">
          {advice}{" "}
          <a href={`${below}/${errorPath(error.error_code, error.message_text)}`}>
            More about {String(error.error_code)}
          </a>
        </p>
      )}
    </>
  );
}

/**
 * Why the call is as it is: the last error, else how it ended; and what else its owner did not
 * want.
 */
function verdictOf(whole: WholeCall): string {
  const dial = isLive(whole.call.status as CallStatus) ? null : failedDial(whole);
  return [outcomeOf(whole), dial, skippedIn(whole)].filter(Boolean).join(" ");
}

/** Verbs and attributes of its markup that were skipped. */
function skippedIn({ documents }: WholeCall): string | null {
  const skipped = documents.flatMap(({ skipped }) => skipped ? [String(skipped)] : []);
  return skipped.length === 0 ? null : `Skipped in its markup: ${skipped.join("; ")}.`;
}

/** Course of the call, in one sentence. */
function outcomeOf(whole: WholeCall): string {
  const { call, ladder } = whole;
  const error = errorOf(whole);
  if (error) {
    const text = String(error.message_text).replace(/\.?$/, ".");
    return isEndedBy(call, error) ? `Hung up by an error: ${text}` : text;
  }
  const why = isLive(call.status as CallStatus) ? null : endSentence(whole);
  const refusal = ladder.findLast(({ summary }) => /^[3-6]\d\d /.test(String(summary)));
  const status = String(call.status);
  if (why !== null && (status !== "completed" || isOfParty(whole))) return why;
  if (refusal && status !== "completed") return `The last SIP answer was ${refusal.summary}.`;
  return ({
    "completed": `It was answered and lasted ${seconds(call.duration)}. ${
      failedDial(whole) === null ? why ?? endOf(whole) : ""
    }`.trimEnd(),
    "busy": "The callee is busy, or refused it.",
    "no-answer": "The callee did not answer in time.",
    "canceled": "It was ended before the callee answered.",
    "failed": "It could not be set up.",
    "in-progress": "The parties are connected.",
    "ringing": "The callee is being called.",
    "queued": "It waits to be placed.",
  })[status] ?? "";
}

/** Between the last markup of a call and its end, in ms, while nothing else can have ended it. */
const atOnceMs = 1_500;

/** A party hung up: the sentence about its end says how long it lasted. */
const isOfParty = ({ progress }: WholeCall): boolean => progress?.disconnect_cause === "bye";

/**
 * Reason of the end of an answered call without a report of the companion; empty where a party ended
 * it, or may have.
 */
function endOf({ call, documents, changes }: WholeCall): string {
  const ended = Date.parse(String(call.end_time));
  const byHand = changes.findLast(({ parameters, status }) =>
    /Status=(completed|canceled)/.test(String(parameters)) && Number(status) < 400
  );
  if (byHand) return `At the console, ${byHand.actor_email} hung it up.`;
  const last = documents.at(-1);
  if (last === undefined) return "";
  const verbs = String(last.verbs);
  if (/\b(Hangup|Reject)$/.test(verbs)) {
    return `Its last markup ends with ${verbs.split(", ").at(-1)}.`;
  }
  const readAt = Date.parse(String(last.start_time)) + Number(last.duration);
  if (verbs === "" && Math.abs(ended - readAt) < atOnceMs) {
    return "Its last markup was empty, which hangs up.";
  }
  return `Its last markup (${verbs || "empty"}) was read ${
    seconds((ended - readAt) / 1_000)
  } before the end; a call is hung up after its last verb, or by a party.`;
}

/** Actions on a live call. */
const Steer = ({ call, below, csrf }: { call: Row; below: string; csrf: string }) => {
  const to = `${below}/Calls/${call.sid}`;
  const isAnswered = call.status === "in-progress";
  return (
    <>
      {isAnswered && (
        <>
          <a class="button" href={`${below}/live/Calls/${call.sid}/listen`}>Listen</a>
          <Act to={`${to}/mute`} csrf={csrf} label="Mute" hidden={{ mute: "true" }} />
          <Act to={`${to}/mute`} csrf={csrf} label="Unmute" hidden={{ mute: "false" }} />
          <form method="post" action={`${to}/redirect`} class="row">
            <input type="hidden" name="csrf" value={csrf} />
            <label class="hidden" for="redirect">URL of new markup</label>
            <input
              id="redirect"
              name="Url"
              type="url"
              placeholder="https://… new markup"
              required
            />
            <button type="submit">Redirect</button>
          </form>
        </>
      )}
      <Act
        to={`${to}/end`}
        csrf={csrf}
        label="Hang up"
        look="stop"
        confirm={`Hang up the call ${call.from} → ${call.to}?`}
      />
    </>
  );
};
