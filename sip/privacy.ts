import { type IncomingRequestMessage, URI } from "sip.js/lib/core/index.js";
import { splitOutside } from "./text/grammar.ts";
import type { Refusal } from "./refusal.ts";
import { parseNameAddr, userOf } from "./text/uri.ts";

/** What hides who calls (RFC 3323 §4.2, RFC 3325 §9.3); the identity asserted is for trunks alone. */
const hiding = ["id", "user", "header"];

/**
 * What we can do besides: where SDP is hidden our media are in between, and what the history of a
 * call says goes no further than to the service.
 */
const provided = [...hiding, "session", "history", "critical", "none"];

/** What a request wants kept from whom it is for, in small letters. */
function privacyOf(message: IncomingRequestMessage): string[] {
  if (!message.hasHeader("privacy")) return [];
  return message.getHeaders("privacy").join(";").split(/[;,]/)
    .map((value) => value.trim().toLowerCase());
}

/** Whether a caller does not want to be known to whom it calls. */
export const hidesCaller = (message: IncomingRequestMessage): boolean =>
  privacyOf(message).some((value) => hiding.includes(value));

/** Whether a caller does not want its SDP known to whom it calls. */
export const hidesSession = (message: IncomingRequestMessage): boolean =>
  privacyOf(message).includes("session");

/** A text says whom it is from, and has no more to hide. */
const providedForTexts = provided.filter((value) => !hiding.includes(value));

/** Who must have a privacy that we do not provide gets no call without it (RFC 3323 §5). */
export function refusePrivacy(message: IncomingRequestMessage): Refusal | undefined {
  const values = privacyOf(message);
  const ours = message.method === "MESSAGE" ? providedForTexts : provided;
  if (!values.includes("critical") || values.every((value) => ours.includes(value))) {
    return undefined;
  }
  return { statusCode: 500, reasonPhrase: "Cannot Provide That Privacy" };
}

/** Who calls, as From or another header names it. */
export interface CallerIdentity {
  user: string;
  host: string;
  /** As it stands between quotes. */
  displayName: string;
}

const nobody: CallerIdentity = { user: "anonymous", host: "anonymous.invalid", displayName: "" };

/** In From where a caller is not to be known (RFC 3323 §4.1.1.3). */
export const nobodysUri = (): URI => new URI("sip", nobody.user, nobody.host);

/**
 * The caller that a trunk names: of one that wants it so, nobody; where From names nobody, whom the
 * trunk asserts (RFC 3325 §9.1). Else From, which holds the number that the caller shows.
 */
export function identityOf(message: IncomingRequestMessage): CallerIdentity {
  if (hidesCaller(message)) return nobody;
  const { displayName, uri } = message.from;
  const from = { user: userOf(uri), host: uri.host, displayName };
  return isNobody(from) ? assertedBy(message) ?? from : from;
}

const isNobody = ({ user, host }: Pick<CallerIdentity, "user" | "host">): boolean =>
  user === "" || /^anonymous$/i.test(user) || /^anonymous\.invalid$/i.test(host);

/** Whether From says of nobody that it calls. */
export const namesNobody = ({ from: { uri } }: IncomingRequestMessage): boolean =>
  isNobody({ user: userOf(uri), host: uri.host });

function assertedBy(message: IncomingRequestMessage): CallerIdentity | undefined {
  return message.getHeaders("p-asserted-identity")
    .flatMap((line) => splitOutside(line, ",") ?? [])
    .map((value) => parseNameAddr(value.trim()))
    .map((parsed) =>
      parsed && { user: userOf(parsed.uri), host: parsed.uri.host, displayName: parsed.displayName }
    )
    .find((identity) => identity !== undefined && !isNobody(identity));
}
