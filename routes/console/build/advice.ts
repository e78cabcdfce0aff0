import { faults } from "../../../core/base/faults.ts";
import { specificAdvice, statusIn } from "../../../core/base/specific_advice.ts";

const byCode = new Map(Object.values(faults).map(({ code, advice }) => [String(code), advice]));

/**
 * Advice about an error; undefined for an unknown code. With the text of one failure, the advice is
 * about that failure: about the one SIP status that refused a call.
 */
export const adviceOf = (code: unknown, text?: unknown): string | undefined =>
  specificAdvice(Number(code), String(text ?? "")) ?? byCode.get(String(code));

/** The page of an error code, below the account's pages; of one failure, about that failure. */
export function errorPath(code: unknown, text?: unknown): string {
  const status = statusIn(Number(code), String(text ?? ""));
  return `errors/${code}${status === undefined ? "" : `?status=${status}`}`;
}
