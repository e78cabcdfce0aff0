import type { Search } from "./erased.ts";

/** A text as it may stand in a pattern. */
const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * How records name the subject of an erasure: a number with or without its +, also as a URL has it and
 * as the user of a SIP address; a Client as `client:LOGIN`, as its Login alone where an address
 * stands, and as the user of a SIP address. Logins are taken as they are written.
 */
export function searchFor(subject: string): Search {
  const [, login] = /^client:(.*)$/.exec(subject) ?? [];
  const name = literal(login ?? subject.replace(/^\+/, ""));
  const whole = login === undefined
    ? new RegExp(`^(?:sips?:)?(?:\\+|%2B)?${name}(?:@.*)?$`, "i")
    : new RegExp(`^(?:client:|sips?:)?${name}(?:@.*)?$`);
  const within = login === undefined
    ? new RegExp(`(?:\\+|%2B|\\b(?:sips?|tel):)${name}(?!\\d)`, "i")
    : new RegExp(`(?:client(?::|%3A)|\\bsips?:)${name}(?![\\w.+-])`);
  return {
    is: (text) => typeof text === "string" && whole.test(text),
    isIn: (text) => within.test(text),
    sids: new Set(),
  };
}

/** A subject of which as little shows as is needed to tell it from others. */
export function maskedSubject(subject: string): string {
  const [, login] = /^client:(.*)$/.exec(subject) ?? [];
  return login === undefined
    ? subject.replace(/^(\+\d{2})\d*(\d{2})$/, "$1…$2")
    : `client:${login.slice(0, 1)}…`;
}
