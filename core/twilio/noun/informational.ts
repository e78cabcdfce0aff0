/**
 * Informational parameters: those that have no effect here, and are stored for readers of the record. Twilio
 * shows none of them, so each is shown under a key of ours, made of its name: `CallReason` is `call_reason`.
 */
import type {
  Informational,
  InformationalValue,
} from "../../model/resources/internal/informational.ts";
import type { Parameters, SentOf } from "./noun.ts";

const namesOf = (parameters: Parameters): string[] =>
  Object.keys(parameters).filter((name) => parameters[name]?.state === "informational");

/** The values that were sent of these parameters, as a record keeps them; null for none. */
export function informationalOf<P extends Parameters>(
  parameters: P,
  sent: SentOf<P>,
): Informational {
  const values = namesOf(parameters).map((name) => [name, sent[name]]);
  const kept = values.filter(([, value]) => value !== undefined);
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

/** The fields of a noun that show them; null where nothing was sent. */
export const informationalFields = (
  parameters: Parameters,
): Record<string, (record: { informational?: Informational }) => InformationalValue | null> =>
  Object.fromEntries(
    namesOf(parameters).map((name) => [
      keyOf(name),
      ({ informational }) => informational?.[name] ?? null,
    ]),
  );

/** `CallReason` is `call_reason`. */
const keyOf = (name: string): string =>
  name.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
