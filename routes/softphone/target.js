import { UserAgent } from "sip.js";

const LOGIN = /^[A-Za-z0-9\-._+*#]{1,64}$/;
/** Separators between the digits of a number. */
const SEPARATORS = /[\s().\/-]/g;

/**
 * The SIP URI of a dialled text: a Client's login, a number in any notation, or an address.
 * Undefined for any other text.
 */
export function target(text, domain) {
  const typed = text.trim().replace(/^(?:client|tel):/i, "");
  if (/^sips?:/i.test(typed)) return UserAgent.makeURI(typed);
  if (typed.includes("@")) return UserAgent.makeURI(`sip:${typed}`);
  const isNumber = /^\+?[\s().\/*#-]*\d[\d\s().\/*#-]*$/.test(typed);
  const user = isNumber ? typed.replace(SEPARATORS, "") : typed;
  return LOGIN.test(user)
    ? UserAgent.makeURI(`sip:${encodeURIComponent(user)}@${domain}`)
    : undefined;
}
