import type { CallProgress } from "../../../core/calls/call_progress.ts";
import type { Row } from "../frame/api.ts";
import { seconds } from "../frame/parts.tsx";
import type { WholeCall } from "./call_parts.ts";

/** Why a call was ended by the service, by the cause that `GET …/Calls/{Sid}/Progress` has. */
const causes: Record<string, string> = {
  "request": "A request to the interface ended it",
  "time-limit": "Its time limit was reached",
  "limit": "A limit of the account refused it, or its money of the day was spent",
  "conference-end": "The conference ended before it was answered",
  "hangup": "The service ended it: Hangup in the markup",
  "end-of-markup": "The markup came to its end",
  "document-failed": "Its markup could not be fetched or read",
  "not-allowed": "Its account, caller ID or destination is not allowed",
  "not-placed": "No SIP companion took the call",
  "script-end": "The service ended it: nothing was left to do",
  "other-leg": "The other leg of the call ended",
  "star": "A party pressed the star key, and its Dial has hangupOnStar",
  "answered-elsewhere": "Another callee of the same Dial answered first",
  "screened": "The markup that screens the callee did not connect it",
  "transfer": "A transfer went on without it",
  "timeout": "The callee did not answer in time",
  "session-timer": "The phone did not refresh the session in time (session timer, RFC 4028)",
  "no-ack": "The phone did not acknowledge the answer (no ACK)",
  "connection-lost": "The connection to the phone was lost",
  "media-lost": "The audio was lost",
  "no-codec": "The two sides have no codec in common",
  "unreachable": "The callee could not be reached",
  "no-script": "The service did not answer the companion",
  "shutdown": "The companion was stopped",
  "companion-lost": "The service heard from the companion no more",
  "exhausted": "The companion's machine had no room: its ports or descriptors were used up",
  "error": "The companion failed; its log says more",
};

/** Texts of what the peers did, by the same cause. */
const deeds: Record<string, string> = {
  "bye": "hung up",
  "cancel": "hung up before the answer",
  "refused": "refused it",
};

/** The cause of failed calls in words; `failures` of Statistics has it. */
export function causeText({ cause, sip_response_code: code }: Row): string {
  if (cause === null) return code === null ? "Not reported" : `Ended with ${code}`;
  if (cause === "refused") return code === null ? "Refused" : `Refused with ${code}`;
  if (cause === "cancel") return "The caller hung up before the answer";
  return causes[String(cause)] ?? String(cause);
}

/** Longest time between the end of a leg and that of the call that depended on it, in ms. */
const atOnceMs = 1_500;

/** Why a call ended, in one sentence; null where its companion did not report that. */
export function endSentence(whole: WholeCall): string | null {
  const { progress, parent } = whole;
  const own = progress && sentence(progress, whole.call);
  if (!own || !progress) return null;
  const cause = progress.disconnect_cause;
  const isOfRequest = cause === "request" && progress.requested_by_sid === null;
  const byHand = isOfRequest ? byConsole(whole) : null;
  if (byHand !== null) return byHand;
  if (cause === "hangup") return `${own.replace("Hangup", lastVerb(whole) ?? "Hangup")}.`;
  if (cause === "other-leg" && parent) {
    const why = sentence(parent.progress, parent.call);
    if (why && !isAtEnd(parent.progress.disconnect_cause)) return `${why}.`;
  }
  const first = isAtEnd(cause) ? endedFirst(whole) : undefined;
  const why = first && sentence(first.progress, first.leg);
  const left = cause === "end-of-markup" ? ", and the markup came to its end" : "";
  if (why) return `${why} (${first.leg.to})${left}.`;
  return cause === "script-end" ? "Nothing was left to do." : `${own}.`;
}

/** Causes of a call that ended since everything in it was done. */
const isAtEnd = (cause: string | null): boolean =>
  cause === "script-end" || cause === "end-of-markup";

/** Texts of a Dial without an answer, by the status of its leg. */
const missed: Record<string, string> = {
  "busy": "was busy or refused it",
  "no-answer": "did not answer",
  "failed": "could not be reached",
};

/** Dials without an answer, in one sentence; null where one was answered, or there was none. */
export function failedDial({ legs, dialled }: WholeCall): string | null {
  const isMissed = legs.length > 0 && legs.every(({ status }) => String(status) in missed);
  if (!isMissed) return null;
  const texts = legs.slice(-mostMissed).map((leg) => {
    const { progress } = dialled.find((one) => one.leg.sid === leg.sid) ?? {};
    const why = progress ? sentence(progress, leg) : null;
    return `${leg.to} ${missed[String(leg.status)]}${
      why === null ? "" : ` (${why[0]?.toLowerCase()}${why.slice(1)})`
    }`;
  });
  const more = legs.length - texts.length;
  return `Its Dial connected nobody: ${texts.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`;
}

/** Callees that the sentence names. */
const mostMissed = 3;

/** Text about the end of one leg, without a full stop. */
export function sentence(progress: CallProgress, call: Row): string | null {
  const { disconnected_by: by, disconnect_cause: cause, disconnect_text: text } = progress;
  if (by === null || cause === null) return null;
  const said = text ? ` (${text})` : "";
  if (by === "service" && cause === "request") return byRequest(progress) ?? `${causes[cause]}`;
  if (by === "service") return `${causes[cause] ?? `The service ended it: ${cause}`}${said}`;
  const code = cause === "refused" && progress.sip_response_code;
  const why = code ? ` with ${code}${text ? ` ${text}` : ""}` : said;
  const way = progress.gateway_name ? `, by Gateway ${progress.gateway_name}` : "";
  return `The ${by} ${deeds[cause] ?? `ended it: ${cause}`}${why}${way}${after(progress, call)}`;
}

/** Length of the call at that time. */
function after({ date_answered, disconnect_cause, ...dates }: CallProgress, call: Row): string {
  if (date_answered !== null) return ` after ${seconds(call.duration)}`;
  if (disconnect_cause !== "cancel") return "";
  const ms = Date.parse(dates.date_ended ?? "") - Date.parse(dates.date_created);
  return `, after ${seconds(ms / 1_000)}`;
}

/** Whose request ended the call, without a full stop; null for a call that does not name it. */
function byRequest({ requested_by_path: path, ...by }: CallProgress): string | null {
  const { requested_by_sid: sid, requested_by_name: name } = by;
  if (path === null || sid === null) return null;
  const of = requesterNamed(sid, name);
  if (path === "console") return `At the console, ${of} hung it up`;
  const face = path === "interface" ? "the interface" : "the interface of Twilio's libraries";
  return `By a request to ${face}, ${of} hung it up`;
}

/** An account above shows neither its e-mail address nor the names of its keys. */
function requesterNamed(sid: string, name: string | null): string {
  if (name === null) return "an account above this one";
  return sid.startsWith("SK") ? `the API key "${name}"` : name;
}

/** The same from the audit log, for calls that were stored before they named the requester. */
function byConsole({ changes }: WholeCall): string | null {
  const change = changes.findLast(({ parameters, status }) =>
    /Status=(completed|canceled)/.test(String(parameters)) && Number(status) < 400
  );
  return change === undefined ? null : `At the console, ${change.actor_email} hung it up.`;
}

/** The verb that hangs up, where the last markup ends with one. */
function lastVerb({ documents }: WholeCall): string | undefined {
  const last = String(documents.at(-1)?.verbs ?? "").split(", ").at(-1) ?? "";
  return /^(Hangup|Reject|Redirect|Leave)$/.test(last) ? last : undefined;
}

/** Causes of a leg that follow from something else. */
const following = ["other-leg", "answered-elsewhere"];

/** The leg whose end left the call without anything to do. */
function endedFirst({ progress, dialled }: WholeCall) {
  const end = Date.parse(progress?.date_ended ?? "");
  return dialled.findLast(({ progress: { date_ended, disconnect_cause } }) =>
    disconnect_cause !== null && !following.includes(disconnect_cause) &&
    Math.abs(end - Date.parse(date_ended ?? "")) < atOnceMs
  );
}
