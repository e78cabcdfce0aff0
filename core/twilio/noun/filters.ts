import { interval } from "../../base/dates.ts";
import { Fault } from "../../base/faults.ts";
import type { Condition } from "../../base/filters.ts";
import { limits } from "../../base/limits.ts";
import { plainDigits, withPlus } from "../../base/fields.ts";
import { partOf, spellingsOf } from "../../model/values/dialled.ts";
import type { Filter } from "./noun.ts";

/** Checks a text; throws the rule that it breaks, as the end of a sentence. */
function checked(text: string, allowed?: readonly string[]): string {
  if (text.length > limits.filterLength) {
    throw new Fault("badParameter", `must have at most ${limits.filterLength} characters`);
  }
  if (allowed !== undefined && !allowed.includes(text)) {
    throw new Fault("badParameter", `must be one of ${allowed.join(", ")}`);
  }
  return text;
}

/** Records whose field has the whole value; with `allowed`, one of these. */
export const equal = (field: string, allowed?: readonly string[]): Filter => ({
  state: "works",
  note: "",
  conditions: (text) => [{ field, op: "equals", value: checked(text, allowed) }],
});

/** The same where values have other names in the record: `values` has the record's by ours. */
export const equalAs = (field: string, values: Record<string, string>): Filter => ({
  state: "works",
  note: "",
  conditions: (text) => [{
    field,
    op: "equals",
    value: values[checked(text, Object.keys(values))] ?? "",
  }],
});

/** Records whose field is a phone number, whichever way it is written. */
export const numbered = (field: string): Filter => ({
  state: "works",
  note: "",
  conditions: (text, _, { country }) => [{
    field,
    op: "oneOf",
    values: spellingsOf(checked(withPlus(plainDigits(text))), country),
  }],
});

/** Records whose field has a part, in which `*` stands for one digit. */
export const numberPart = (field: string): Filter => ({
  state: "works",
  note: "a part of the number; `*` stands for one digit",
  conditions: (text) => [{
    field,
    op: "hasPart",
    value: partOf(checked(plainDigits(text.replace(/^ /, "+")))),
  }],
});

/** A Client by its Login, with or without `client:`. */
const clientAddress = /^(?:client:)?([A-Za-z][A-Za-z0-9\-._+]{0,63})$/;

/** Records whose field is an address: a number, a SIP address or a Client; `*` for any characters. */
export const addressed = (field: string): Filter => ({
  state: "works",
  note: "`*` stands for any characters",
  conditions: (sent, _, { country }): Condition[] => {
    const value = checked(withPlus(plainDigits(sent)));
    const login = clientAddress.exec(value)?.[1];
    if (login !== undefined) return [{ field, op: "oneOf", values: [`client:${login}`, login] }];
    const values = spellingsOf(value, country);
    if (value.includes("*")) return [{ field, op: "matches", value: values[0] }];
    return [{ field, op: "oneOf", values }];
  },
});

/** Records whose field is a date: of a day in UTC or at an instant, at or before, at or after it. */
export const dated = (field: string): Filter => ({
  state: "works",
  note: "also with `<` and `>`",
  isDate: true,
  conditions: (text, operator) => {
    const passed = interval(operator, text);
    if (passed !== null) return [{ field, op: "between", ...passed }];
    throw new Fault("badParameter", "must be a date as YYYY-MM-DD or an ISO 8601 instant");
  },
});

/** A filter that every record passes. */
export const always = (note: string): Filter => ({ state: "works", note, conditions: () => [] });

/** A filter that would narrow the list at Twilio and cannot here. */
export const notFiltered = (reason: string, harmless: readonly string[] = []): Filter => ({
  state: "refused",
  note: harmless.length === 0 ? reason : `${reason} (${harmless.join(", ")}: accepted)`,
  conditions: (text) => {
    if (harmless.includes(text)) return [];
    throw new Fault("badParameter", `is not supported: ${reason}`);
  },
});
