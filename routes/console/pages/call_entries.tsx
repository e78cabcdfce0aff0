import type { Child } from "hono/jsx";
import { faults } from "../../../core/base/faults.ts";
import type { Row } from "../frame/api.ts";
import { Act, seconds, Sid, Status } from "../frame/parts.tsx";
import { endSentence, sentence } from "./call_end.ts";
import type { WholeCall } from "./call_parts.ts";
import { adviceOf, errorPath } from "../build/advice.ts";
import { statusOf } from "./deliveries.tsx";
import { Exchange, exchangeOf } from "./exchange.tsx";

/** A line of the timeline. */
export interface Entry {
  /** In ms. */
  at: number;
  kind: string;
  look?: "" | "bad" | "wait" | "good";
  content: Child;
}

interface Around {
  below: string;
  csrf: string;
}

/** Everything that happened in a call, in order of time. */
export function entriesOf(whole: WholeCall, around: Around): Entry[] {
  const { legs, notifications, deliveries, documents, ladder, recordings, changes } = whole;
  const entries = [
    ...milestones(whole),
    ...legs.map((leg) => legEntry(leg, whole, around)),
    ...ladder.map(sipEntry),
    ...notifications.filter((one) => !isShown(one, documents))
      .map((one) => notificationEntry(one, around)),
    ...deliveries.map((one) => deliveryEntry(one, around)),
    ...documents.map((one) => documentEntry(one, noticeOf(one, notifications), around)),
    ...recordings.map(recordingEntry),
    ...changes.map(changeEntry),
    ...whole.monitors.map((one) => monitorEntry(one, around)),
  ];
  return entries.filter(({ at }) => Number.isFinite(at)).toSorted((one, other) =>
    one.at - other.at
  );
}

/**
 * Notifications about skipped verbs and missing markup, which the document shows where it is
 * stored.
 */
const isShown = ({ error_code, request_url, message_text }: Row, documents: Row[]): boolean =>
  documents.some(({ url, skipped, error }) =>
    url === request_url &&
    (error_code === faults.markupSkipped.code ? skipped !== null : error === message_text)
  );

/** The Notification that says the same as the error of a document. */
const noticeOf = ({ url, error }: Row, notifications: Row[]): Row | undefined =>
  notifications.find(({ request_url, message_text }) =>
    request_url === url && message_text === error
  );

const ms = (date: unknown): number => Date.parse(String(date ?? ""));

function milestones(whole: WholeCall): Entry[] {
  const { call, progress } = whole;
  const began = call.direction === "inbound" ? "Came in" : "Placed";
  const entries: Entry[] = [{
    at: ms(call.date_created),
    kind: "Call",
    content: <p>{began}: {String(call.from)} → {String(call.to)}</p>,
  }];
  const rung = progress?.ring_duration ?? null;
  if (progress?.date_ringing) {
    entries.push({
      at: ms(progress.date_ringing),
      kind: "Call",
      content: <p>The callee rings.</p>,
    });
  }
  if (progress?.date_answered) {
    entries.push({
      at: ms(progress.date_answered),
      kind: "Call",
      look: "good",
      content: <p>Answered{rung !== null && `, after ${ringing(rung)}`}</p>,
    });
  }
  if (call.end_time) {
    const why = endSentence(whole);
    const isGood = call.status === "completed";
    entries.push({
      at: ms(call.end_time),
      kind: "Call",
      look: isGood ? "good" : "bad",
      content: (
        <p>
          Ended: <Status value={call.status} /> {why}
        </p>
      ),
    });
  }
  return entries;
}

/** Outcome of a call that listens. */
function listened(call: Row | null): string {
  const status = String(call?.status ?? "");
  if (status === "in-progress") return "listens";
  if (status === "completed") return `listened for ${seconds(call?.duration)}`;
  if (status === "queued" || status === "ringing") return "is being rung to listen";
  return status === "" ? "was rung to listen" : `was asked to listen, and did not (${status})`;
}

/** Entry of a call that listened to this one, or was to. */
const monitorEntry = (
  { call_sid, to, date_created, call }: WholeCall["monitors"][number],
  { below }: Around,
): Entry => ({
  at: ms(date_created),
  kind: "Listening",
  look: "wait",
  content: (
    <p>
      {to} {listened(call)} <Sid sid={call_sid} below={below} label="Its call" />
    </p>
  ),
});

/** Changes of the call at the console. */
const changeEntry = ({ date_created, actor_email, parameters, status }: Row): Entry => ({
  at: ms(date_created),
  kind: "Console",
  look: Number(status) < 400 ? "" : "bad",
  content: (
    <p>
      {String(actor_email)}: <code>{String(parameters)}</code>
      {Number(status) < 400 ? "" : `, refused with ${status}`}
    </p>
  ),
});

/** A time of ringing, of which tenths of a second matter. */
const ringing = (duration: number): string =>
  `${duration < 10 ? `${duration.toFixed(1)} s` : seconds(duration)} of ringing`;

function legEntry(leg: Row, { dialled }: WholeCall, { below }: Around): Entry {
  const progress = dialled.find((one) => one.leg.sid === leg.sid)?.progress;
  const rung = progress?.ring_duration ?? null;
  const why = progress && sentence(progress, leg);
  return {
    at: ms(leg.date_created),
    kind: "Leg",
    content: (
      <>
        <p>
          Dialled {String(leg.to)}: <Status value={leg.status} />{" "}
          {leg.duration !== null && seconds(leg.duration)}{" "}
          <Sid sid={leg.sid} below={below} label="Timeline of the leg" />
        </p>
        {(rung !== null || why) && (
          <p class="soft">
            {rung !== null &&
              `${progress?.date_answered ? "Answered after" : "After"} ${ringing(rung)}. `}
            {why && `${why}.`}
          </p>
        )}
      </>
    ),
  };
}

function sipEntry(
  { date_sent, direction, summary, text, transport }: WholeCall["ladder"][number],
): Entry {
  const isRefusal = /^[3-6]\d\d /.test(summary);
  return {
    at: ms(date_sent),
    kind: "SIP",
    look: isRefusal ? "bad" : "",
    content: (
      <details>
        <summary>
          <span aria-hidden="true">{direction === "sent" ? "→" : "←"}</span>{" "}
          <span class="hidden">{direction}</span> {summary}{" "}
          <span class="soft">{String(transport)}</span>
        </summary>
        <pre tabindex={0}>{text}</pre>
      </details>
    ),
  };
}

function notificationEntry(one: Row, { below }: Around): Entry {
  const advice = adviceOf(one.error_code, one.message_text);
  return {
    at: ms(one.message_date),
    kind: one.log === 0 ? "Error" : "Warning",
    look: one.log === 0 ? "bad" : "wait",
    content: (
      <>
        <p>
          <a href={`${below}/${errorPath(one.error_code, one.message_text)}`}>
            {String(one.error_code)}
          </a>{" "}
          {String(one.message_text)}
        </p>
        {advice && <p class="advice">{advice}</p>}
        <Exchange {...exchangeOf(one)} />
      </>
    ),
  };
}

function deliveryEntry(one: Row, { below, csrf }: Around): Entry {
  // As the declaration of deliveries has them.
  const attempts = one.attempts as Record<string, unknown>[];
  const last = attempts.at(-1);
  const isQueued = one.status === "queued";
  return {
    at: ms(one.start_time),
    kind: "Callback",
    look: one.status === "failed" ? "bad" : isQueued ? "wait" : "",
    content: (
      <>
        <p>
          {String(one.event ?? "callback")} <Status value={statusOf(one)} />{" "}
          <span class="soft">
            {last?.status
              ? `HTTP ${last.status}, ${last.duration} ms`
              : String(last?.error ?? "not sent yet")}
            {attempts.length > 1 && `, ${one.attempt_count} attempts`}
          </span>
        </p>
        <p class="soft cut">{String(one.method)} {String(one.url)}</p>
        <Exchange
          {...exchangeOf({
            ...one,
            ...last &&
              { response_headers: last.response_headers, response_body: last.response_body },
          })}
        />
        <div class="actions">
          <Sid sid={one.sid} below={below} label="Attempts" />
          {(!isQueued || attempts.length > 0) && (
            <Act
              to={`${below}/Webhooks/Deliveries/${one.sid}/replay`}
              csrf={csrf}
              label={isQueued ? "Send now" : "Replay"}
              look="quiet"
              hidden={{ back: String(one.call_sid ?? "") }}
            />
          )}
        </div>
      </>
    ),
  };
}

/** Speech or digits of a caller, which a request for markup carries. */
const heard: [name: string, title: string][] = [
  ["Digits", "Pressed"],
  ["SpeechResult", "Said"],
  ["RecordingDuration", "Recorded seconds"],
  ["DialCallStatus", "Dial ended"],
  ["AnsweredBy", "Answered by"],
];

function documentEntry(one: Row, notice: Row | undefined, { below }: Around): Entry {
  const advice = notice && adviceOf(notice.error_code, notice.message_text);
  const sent = new URLSearchParams(String(one.request_variables ?? ""));
  const input = heard.filter(([name]) => sent.get(name));
  return {
    at: ms(one.start_time),
    kind: "Markup",
    look: one.error ? "bad" : one.skipped ? "wait" : "",
    content: (
      <>
        {input.map(([name, title]) => (
          <p>
            {title}: <b>{sent.get(name)}</b>
          </p>
        ))}
        <p class="soft">
          {String(one.method)} {String(one.url)} {one.status ? `HTTP ${one.status}, ` : ""}
          {String(one.duration)} ms
        </p>
        {one.error
          ? (
            <p>
              {notice && (
                <a href={`${below}/errors/${notice.error_code}`}>{String(notice.error_code)}</a>
              )} {String(one.error)}
            </p>
          )
          : <p>{one.verbs ? String(one.verbs) : "No verbs: nothing more to do."}</p>}
        {advice && <p class="advice">{advice}</p>}
        {one.skipped && <p class="advice">Skipped: {String(one.skipped)}</p>}
        <Exchange {...exchangeOf(one)} />
      </>
    ),
  };
}

const recordingEntry = (one: Row): Entry => ({
  at: ms(one.date_created),
  kind: "Recording",
  content: (
    <p>
      Recorded {seconds(one.duration)} <Status value={one.status} />
    </p>
  ),
});
