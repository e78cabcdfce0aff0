import { limits } from "../../core/base/limits.ts";
import type { Base } from "../../core/base/record.ts";
import type { Envelope } from "../../core/twilio/noun/list_query.ts";
import type { AnyNoun, Asked } from "../../core/twilio/noun/noun.ts";
import type { ListFrame } from "../http/list_frame.ts";
import { element, escapeXml, printable } from "../http/xml.ts";

/** Addresses are relative to the base URL, without a suffix. */
export const accountsAddress = `/${limits.twilioApiVersion}/Accounts`;
export const accountAddress = (sid: string): string => `${accountsAddress}/${sid}`;

/** A record as JSON writes it. */
export function jsonOf(
  { fields, address, below, isAccount }: AnyNoun,
  record: Base,
  asked: Asked,
): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    const shown = value(record, asked);
    written[key] = typeof shown === "string" ? printable(shown) : shown;
  }
  if (address === null) return written;
  const path = address(record, asked);
  const uri = isAccount ? accountAddress(path) : `${accountAddress(asked.account.sid)}/${path}`;
  written.uri = `${uri}.json`;
  if (below !== undefined) {
    written.subresource_uris = Object.fromEntries(
      Object.entries(below).map(([key, path]) => [key, `${uri}/${path}.json`]),
    );
  }
  return written;
}

/** The XML of a record, from its JSON: elements have the names of the keys in PascalCase. */
export const xmlOf = ({ type }: AnyNoun, json: Record<string, unknown>): string =>
  element(type, contentOf(withoutSuffixes(json)));

/**
 * Frame around records in XML: the paging of their list is attributes, the keys without
 * underscores.
 */
export function xmlFrameOf({ plural }: AnyNoun, envelope: Envelope): ListFrame {
  const attributes = Object.entries(envelope).map(([key, value]) =>
    ` ${key.replaceAll("_", "")}="${escapeXml(withoutSuffix(String(value ?? "")))}"`
  );
  const name = pascalOf(plural);
  return { open: `<${name}${attributes.join("")}>`, between: "", close: `</${name}>` };
}

/** Names of elements by key. Most keys are of the program; others are cached up to a bound. */
const pascalNames = new Map<string, string>();
const mostNames = 2_000;

/** `date_created` is DateCreated. */
function pascalOf(key: string): string {
  const known = pascalNames.get(key);
  if (known !== undefined) return known;
  const name = key.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (pascalNames.size < mostNames) pascalNames.set(key, name);
  return name;
}

function contentOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((one) => element("Item", contentOf(one))).join("");
  if (typeof value === "object") {
    return Object.entries(value).map(([key, one]) => element(pascalOf(key), contentOf(one)))
      .join("");
  }
  return escapeXml(String(value));
}

const withoutSuffix = (uri: string): string => uri.replace(/\.json(?=\?|$)/, "");

/** In XML, addresses lead to XML. */
const withoutSuffixes = (json: Record<string, unknown>): Record<string, unknown> => ({
  ...json,
  ...typeof json.uri === "string" && { uri: withoutSuffix(json.uri) },
  ...isAddresses(json.subresource_uris) && {
    subresource_uris: Object.fromEntries(
      Object.entries(json.subresource_uris).map(([key, uri]) => [key, withoutSuffix(uri)]),
    ),
  },
});

const isAddresses = (value: unknown): value is Record<string, string> =>
  typeof value === "object" && value !== null;
