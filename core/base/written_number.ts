/**
 * Numbers of JSON as they were written. `JSON.parse` changes long numbers, so the parameters of a
 * request are read from their source text. A number with an exponent is refused, since no parameter
 * takes one.
 */
/** Source text that a reviver gets of a scalar (ECMA-262, JSON.parse source text access). */
interface Written {
  source?: string;
}

/** Reviver for JSON.parse that makes each number the text that stands for it, digit for digit. */
export const asWritten = (_name: string, value: unknown, { source }: Written = {}): unknown =>
  typeof value === "number" ? source ?? String(value) : value;
