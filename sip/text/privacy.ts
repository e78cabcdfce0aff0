import { type IncomingRequestMessage, type NameAddrHeader, URI } from "../base/sip_js.ts";
import { splitAddresses } from "./grammar.ts";
import type { Refusal } from "../base/refusal.ts";
import { parseNameAddr, userOf } from "./uri.ts";

/*
 * Privacy of callers. With `Privacy: id`, `user` or `header` (RFC 3323) neither application nor callee
 * learns the caller: From is `anonymous@anonymous.invalid`. The application of a Client learns its own
 * Client. `session` anchors the audio.
 *
 * - A trunk gets the identity in P-Asserted-Identity with `Privacy: id` (RFC 3325). A softphone or a
 *   dialled address does not.
 * - P-Asserted-Identity from a trunk counts where From is anonymous; else From counts.
 * - Referred-By is anonymous when such a caller transfers. A Client may also send an anonymous From.
 * - A text from a trunk has the same rule. A text of a Client shows its sender; one with `critical` gets
 *   500.
 * - ForwardedFrom is set unless Diversion (`privacy=full` or `uri`), History-Info or the call (`history`,
 *   `header`) asks for privacy.
 */

/** Values that make a caller anonymous (RFC 3323 §4.2, RFC 3325 §9.3), except towards trunks. */
const hiding = ["id", "user", "header"];

/**
 * All values that are provided. With `session` media are anchored; with `history` the forwarder of a
 * call is not reported.
 */
const provided = [...hiding, "session", "history", "critical", "none"];

/** The values of Privacy in a request, in lower case. */
function privacyOf(message: IncomingRequestMessage): string[] {
  if (!message.hasHeader("privacy")) return [];
  return message.getHeaders("privacy").join(";").split(/[;,]/)
    .map((value) => value.trim().toLowerCase());
}

/** True when a caller asks to be anonymous to the callee. */
export const hidesCaller = (message: IncomingRequestMessage): boolean =>
  privacyOf(message).some((value) => hiding.includes(value));

/** True when a caller asks to hide its SDP from the callee. */
export const hidesSession = (message: IncomingRequestMessage): boolean =>
  privacyOf(message).includes("session");

const cannotProvide: Refusal = { statusCode: 500, reasonPhrase: "Cannot Provide That Privacy" };

/** A call that requires a privacy which is not provided here is refused (RFC 3323 §5). */
export function refusePrivacy(message: IncomingRequestMessage): Refusal | undefined {
  const values = privacyOf(message);
  const isProvided = (value: string) => provided.includes(value);
  return !values.includes("critical") || values.every(isProvided) ? undefined : cannotProvide;
}

/** A text of a Client shows its sender: one that requires anonymity is refused. */
export const refuseHiddenText = (message: IncomingRequestMessage): Refusal | undefined =>
  hidesCaller(message) && privacyOf(message).includes("critical") ? cannotProvide : undefined;

/** The identity of a caller, as From or another header gives it. */
export interface CallerIdentity {
  user: string;
  host: string;
  /** As it stands between quotes. */
  displayName: string;
}

const anonymous: CallerIdentity = { user: "anonymous", host: "anonymous.invalid", displayName: "" };

/** The URI in From of an anonymous caller (RFC 3323 §4.1.1.3). */
export const anonymousUri = (): URI => new URI("sip", anonymous.user, anonymous.host);

/**
 * The identity of the sender of a call or text from a trunk: anonymous if it asks for that. Else the
 * asserted one (RFC 3325 §9.1) where From is anonymous, else From, which has the number to show.
 */
export function identityOf(message: IncomingRequestMessage): CallerIdentity {
  if (hidesCaller(message)) return anonymous;
  const { displayName, uri } = message.from;
  const from = { user: userOf(uri), host: uri.host, displayName };
  return isAnonymous(from) ? assertedBy(message) ?? from : from;
}

const isAnonymous = ({ user, host }: Pick<CallerIdentity, "user" | "host">): boolean =>
  user === "" || /^anonymous$/i.test(user) || /^anonymous\.invalid$/i.test(host);

/** True when From is anonymous. */
export const isFromAnonymous = ({ from: { uri } }: IncomingRequestMessage): boolean =>
  isAnonymous({ user: userOf(uri), host: uri.host });

const assertedBy = (message: IncomingRequestMessage): CallerIdentity | undefined =>
  assertedAddresses(message)
    .map(({ uri, displayName }) => ({ user: userOf(uri), host: uri.host, displayName }))
    .find((identity) => !isAnonymous(identity));

/** The addresses of P-Asserted-Identity (RFC 3325 §9.1). */
export const assertedAddresses = (message: IncomingRequestMessage): NameAddrHeader[] =>
  message.getHeaders("p-asserted-identity")
    .flatMap((line) => splitAddresses(line) ?? [])
    .flatMap((value) => parseNameAddr(value.trim()) ?? []);

/** True when a request asks to hide its history (RFC 7044 §10.1, RFC 7544). */
const hidesHistory = (message: IncomingRequestMessage): boolean =>
  privacyOf(message).some((value) => value === "history" || value === "header");

/**
 * The forwarder of a call: the user of the topmost Diversion (RFC 5806), else of the last History-Info
 * with a cause. Undefined where there is none, and where it asks to be anonymous.
 */
export function forwarderOf(message: IncomingRequestMessage): string | undefined {
  const uri = forwardingOf(message)?.uri;
  return uri && userOf(uri);
}

/** The URI of the forwarder of a call, and the header that names it. */
export function forwardingOf(
  message: IncomingRequestMessage,
): { uri: URI; header: "Diversion" | "History-Info" } | undefined {
  const values = (name: string) =>
    message.getHeaders(name).flatMap((line) => splitAddresses(line) ?? []);
  const diverted = values("diversion")[0];
  const named = diverted ??
    values("history-info").findLast((entry) => /cause(?:=|%3d)/i.test(entry));
  const parsed = named === undefined ? undefined : parseNameAddr(named);
  if (parsed === undefined || hidesHistory(message) || hidesEntry(parsed)) return undefined;
  const { uri } = parsed;
  if (isAnonymous({ user: userOf(uri), host: uri.host })) return undefined;
  return { uri, header: diverted === undefined ? "History-Info" : "Diversion" };
}

/** True when one entry alone is private: by its parameter, or by its URI (RFC 7044 §10.1.1). */
function hidesEntry(entry: NameAddrHeader): boolean {
  const asked = entry.getParam("privacy")?.replaceAll('"', "").toLowerCase() ?? "off";
  const inUri = entry.uri.getHeader("privacy")?.join(";").toLowerCase() ?? "none";
  // With "name", the display name alone is private; what we do not know may be more than that.
  return !["off", "name"].includes(asked) || inUri !== "none";
}
