import { z } from "zod";

/** Instants in ms, from `from` up to but without `before`. */
export interface Interval {
  from: number;
  before: number;
}

/** Comparison with a date; empty is the date itself. */
export type DateOperator = "" | "<" | ">";

const dayMs = 86_400_000;
const day = z.iso.date();
const instant = z.iso.datetime({ offset: true });

/**
 * The instants that a date filter lets pass: a whole UTC day `YYYY-MM-DD`, or one ISO 8601 instant;
 * with an operator, everything at or before, or at or after, its first moment. Null for no date.
 */
export function interval(operator: DateOperator, text: string): Interval | null {
  // In a query string that was not encoded, the plus sign of an offset arrives as a space.
  const iso = text.replace(/ (?=\d\d:?\d\d$)/, "+");
  const isDay = day.safeParse(iso).success;
  if (!isDay && !instant.safeParse(iso).success) return null;
  const start = Date.parse(iso);
  if (operator === ">") return { from: start, before: Infinity };
  if (operator === "<") return { from: -Infinity, before: start + 1 };
  return { from: start, before: start + (isDay ? dayMs : 1) };
}
