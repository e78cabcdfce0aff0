import { dialString } from "../model/values/dialled.ts";
import { currentNumber } from "../model/values/former_plans.ts";
import type { Search } from "./erased.ts";

/** A text as it may stand in a pattern. */
const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * How records name the subject of an erasure: a number with or without its + and with separators, also as a
 * URL has it, as the user of a SIP address and as a former plan had it; a Client as `client:LOGIN`, as its Login alone where an address
 * stands, and as the user of a SIP address. Logins are taken as they are written.
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

/** A subject of which as little shows as is needed to tell it from others. */
export function maskedSubject(subject: string): string {
  const [, login] = /^client:(.*)$/.exec(subject) ?? [];
  return login === undefined
    ? subject.replace(/^(\+\d{2})\d*(\d{2})$/, "$1…$2")
    : `client:${login.slice(0, 1)}…`;
}
