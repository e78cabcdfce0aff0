/** Codes of Warning (RFC 3261 §20.43); 399 is for everything without a code of its own. */
export const warnCodes = {
  addressType: 301,
  transport: 302,
  mediaType: 304,
  mediaFormat: 305,
  sessionDescription: 306,
  other: 399,
} as const;

export type WarnCode = typeof warnCodes[keyof typeof warnCodes];

/** A Warning header: says in words what was wrong and what to change; the agent is our domain. */
export const warning = (agent: string, text: string, code: WarnCode = warnCodes.other): string =>
  `Warning: ${code} ${agent} "${quotable(text)}"`;

/** The inside of a quoted string: no line ends, quotes and backslashes escaped (§25.1). */
const quotable = (text: string): string =>
  text.replace(/[\p{Cc}\s]+/gu, " ").replace(/["\\]/g, "\\$&");
