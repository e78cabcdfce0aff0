import { dialString } from "./dialled.ts";
import { customHeaders } from "./custom_headers.ts";

/**
 * Numbers of a test account. `+150055500NN` are sped up, `+150055510NN` are in real time;
 * `docs/how-to/test-your-application.md` has the table for customers.
 */

/** Refusal of a call or text to a number of a test account, before it goes out. */
export type Refusal = "invalid" | "noRoute" | "notAllowed";

/** Behaviour of the called side of a simulated call. */
export interface Behaviour {
  outcome: "answered" | "busy" | "no-answer" | "failed";
  /** In real time; otherwise nothing is waited for. */
  isReal: boolean;
  answeredBy: "human" | "machine";
  /** Seconds after the answer at which it hangs up. */
  hangsUpS?: number;
  /** Keys that it presses at each Gather, one after the other. */
  presses: string[];
  /** Words that it says at each Gather of speech. */
  says: string[];
}

const usual: Behaviour = {
  outcome: "answered",
  isReal: false,
  answeredBy: "human",
  presses: [],
  says: [],
};

const refusals: Record<string, Refusal> = { "01": "invalid", "02": "noRoute", "03": "notAllowed" };

const behaviours: Record<string, Partial<Behaviour>> = {
  "10": { hangsUpS: 3 },
  "11": { outcome: "busy" },
  "12": { outcome: "no-answer" },
  "13": { outcome: "failed" },
  "14": { answeredBy: "machine" },
  "31": { says: ["yes"] },
  "32": { says: ["no"] },
};

/** Repeats of a number that presses a key, or says a word. */
const again = 100;

/** The two last digits of a magic number, and its pace; null for any other address. */
function magicOf(address: string): { kind: string; isReal: boolean } | null {
  const found = /^\+1500555([01])0(\d\d)$/.exec(dialString(address) ?? "");
  return found === null ? null : { kind: found[2] ?? "", isReal: found[1] === "1" };
}

/** Why a test call or text to this address does not go out; null where it does. */
export const refusalOf = (to: string): Refusal | null => refusals[magicOf(to)?.kind ?? ""] ?? null;

/** Reason for which a test account may not show a sender: invalid, or not its own. */
export function senderRefusal(from: string): "invalid" | "foreign" | null {
  const kind = magicOf(from)?.kind;
  if (kind === "01") return "invalid";
  return kind === "07" ? "foreign" : null;
}

/** Behaviour of the called side of a test call. An address that is not in the table answers. */
export function behaviourOf(to: string): Behaviour {
  const magic = magicOf(to);
  if (magic !== null) {
    const { kind, isReal } = magic;
    const key = /^2(\d)$/.exec(kind)?.[1];
    const own = key === undefined ? behaviours[kind] ?? {} : { presses: [key] };
    const { presses = [], says = [] } = own;
    return { ...usual, ...own, isReal, presses: repeated(presses), says: repeated(says) };
  }
  return ordered(customHeaders(to.split("?").slice(1).join("?")).headers);
}

const repeated = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => Array.from({ length: again }, () => text));

const outcomes = {
  busy: "busy",
  "no-answer": "no-answer",
  failed: "failed",
} as const;

/** Behaviour that the X-Test- headers of a SIP address order. */
function ordered(headers: Record<string, string>): Behaviour {
  const named = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const answer = named["x-test-answer"] ?? "";
  const list = (name: string) => named[name] === undefined ? [] : named[name].split(",");
  const hangsUpS = Number(named["x-test-hangup"] ?? "");
  return {
    ...usual,
    outcome: Object.hasOwn(outcomes, answer)
      ? outcomes[answer as keyof typeof outcomes]
      : "answered",
    isReal: named["x-test-pace"] === "real",
    answeredBy: answer === "machine" ? "machine" : "human",
    ...hangsUpS > 0 && { hangsUpS },
    presses: list("x-test-digits"),
    says: list("x-test-speech"),
  };
}
