/**
 * The user part of SIP and tel URIs, and the parameters of a telephone-subscriber in it (RFC 3261
 * §19.1.6, RFC 3966 §3): `+12125550123;npdi;rn=+14045550000`. Number portability (RFC 4694), trunk
 * groups (RFC 4904), `cpc`, `verstat` (3GPP TS 24.229 §7.2A) and their like say more about a call;
 * none of them belongs to the number. Code that reads or compares a user part uses
 * `readUserPart()`.
 *
 * A name may hold a semicolon of its own (`alice;day=tuesday`). So the text behind a number counts
 * as parameters. Behind any other user (`anonymous;verstat=No-TN-Validation`) it does where one of
 * the names is a parameter of telephone numbers.
 */

/** A user part in two. */
export interface UserPart {
  /** The number or name, still escaped where it was. */
  user: string;
  /** The parameters as they were written, without the first semicolon; empty where there are none. */
  parameters: string;
}

/** The first semicolon, and what is around it. JsSIP and sip.js escape it, and the equals signs behind it. */
const beforeAndBehind = /^((?:[^;%]|%(?!3B))*)(?:;|%3B)([^]*)$/i;

const subscriber = /^(?:\+|%2B)?(?:[0-9*#().\-]|%23)+$/i;

/** Names from the IANA registry "tel URI Parameters", and others that carriers send. */
const subscriberParameters = new Set(
  ("cic cpc enumdi ext isub isub-encoding isup-oli npdi oli phone-context postd premium-rate rn " +
    "rn-context sac tgrp trunk-context verstat").split(" "),
);

const nameOf = (parameter: string): string => parameter.replace(/=[^]*/, "").trim().toLowerCase();

/**
 * Reads a user part. A local number with a country code as its `phone-context` (RFC 3966 §5.1.5), such as
 * `2125550123;phone-context=+1`, becomes the number with that code.
 */
export function readUserPart(text: string): UserPart {
  const [, user, escaped] = beforeAndBehind.exec(text) ?? [];
  if (user === undefined || escaped === undefined) return { user: text, parameters: "" };
  const parameters = escaped.replaceAll(/%3B/gi, ";").replaceAll(/%3D/gi, "=");
  const isNumber = subscriber.test(user);
  if (!isNumber && !parameters.split(";").some((one) => subscriberParameters.has(nameOf(one)))) {
    return { user: text, parameters: "" };
  }
  return { user: isNumber ? inContext(user, parameters) : user, parameters };
}

/** Returns a parameter of a user part; undefined where it has none of that name. */
export function userParameter({ parameters }: UserPart, name: string): string | undefined {
  const found = parameters.split(";").find((one) => nameOf(one) === name);
  return found === undefined ? undefined : found.slice(found.indexOf("=") + 1).trim();
}

/** Returns parameters without those of a name. */
export const withoutParameter = (parameters: string, name: string): string =>
  parameters.split(";").filter((one) => one !== "" && nameOf(one) !== name).join(";");

/** A SIP or tel URI in three: the text before its user part, the user part, the text after it. */
const userPartOfUri = /^(sips?:|tel:)([^@?]*)(@[^]*)?$/i;

/**
 * Takes the parameters of the number out of a SIP or tel URI; they are returned beside it. Any other text
 * stays as it is.
 */
export function splitUserParameters(uri: string): { uri: string; parameters: string } {
  const [, scheme, text, rest = ""] = userPartOfUri.exec(uri) ?? [];
  if (scheme === undefined || text === undefined) return { uri, parameters: "" };
  if (rest === "" && !/^tel:/i.test(scheme)) return { uri, parameters: "" };
  const { user, parameters } = readUserPart(text);
  return { uri: scheme + user + rest, parameters };
}

/** The digits of a number that has a country code have at most 15 (ITU-T E.164), in North America 11. */
const mostDigits = 15;
const northAmericanDigits = 11;
/** Shorter numbers are valid only where they are dialled: services and extensions. */
const leastLocalDigits = 7;

function inContext(user: string, parameters: string): string {
  const context = userParameter({ user, parameters }, "phone-context")?.replaceAll(/[().\-]/g, "");
  const local = user.replaceAll(/[().\-]/g, "");
  const prefix = /^(?:\+|%2B)(\d{1,6})$/i.exec(context ?? "")?.[1];
  if (prefix === undefined || !/^\d+$/.test(local) || local.length < leastLocalDigits) return user;
  const whole = prefix + local;
  const fits = prefix.startsWith("1")
    ? whole.length === northAmericanDigits
    : whole.length <= mostDigits;
  return fits ? `+${whole}` : user;
}
