import { dialString } from "../model/values/dialled.ts";
import { currentNumber } from "../model/values/former_plans.ts";
import type { Search } from "./erased.ts";

/** A text as it may stand in a pattern. */
const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * Matches the forms in which records name the subject of an erasure. A number: with or without its
 * + and separators, as a URL has it, as the user of a SIP address, and as of a former plan. A
 * Client: as `client:LOGIN`, as its Login alone in a field of addresses, and as the user of a SIP
 * address. The case of a Login counts.
 */
export function searchFor(subject: string): Search {
  const [, login] = /^client:(.*)$/.exec(subject) ?? [];
  if (login === undefined) return searchForNumber(subject);
  const name = literal(login);
  const whole = new RegExp(`^(?:client:|sips?:)?${name}(?:@.*)?$`);
  const within = new RegExp(`(?:client(?::|%3A)|\\bsips?:)${name}(?![\\w.+-])`);
  return {
    is: (text) => typeof text === "string" && whole.test(text),
    isIn: (text) => within.test(text),
    sids: new Set(),
  };
}

function searchForNumber(subject: string): Search {
  const number = currentNumber(subject);
  const isIt = (digits = "") => currentNumber(`+${digits}`) === number;
  return {
    is: (text) => typeof text === "string" && isIt(numberAt.exec(dialString(text) ?? text)?.[1]),
    isIn: (text) => text.matchAll(numbersIn).some(([, digits]) => isIt(digits)),
    sids: new Set(),
  };
}

const numberAt = /^(?:sips?:)?(?:\+|%2B)?(\d+)(?:@.*)?$/i;
const numbersIn = /(?:\+|%2B|\b(?:sips?|tel):)(\d+)/gi;

/** A subject, masked but for as many characters as distinguish it from others. */
export function maskedSubject(subject: string): string {
  const [, login] = /^client:(.*)$/.exec(subject) ?? [];
  return login === undefined
    ? subject.replace(/^(\+\d{2})\d*(\d{2})$/, "$1…$2")
    : `client:${login.slice(0, 1)}…`;
}
