import { placeParameters } from "../../../core/calls/placed_by.ts";
import { type AnyResource, paramsSchema } from "../../../core/model/resource.ts";
import { resources } from "../../../core/model/resources/mod.ts";
import { nearestName } from "../../../core/base/near_names.ts";
import {
  accepts,
  matchFields,
  namesOf,
  type Parameters,
  parseFields,
} from "../../../core/model/rest/parameters.ts";
import { readListQuery } from "../../../core/model/rest/list_query.ts";
import { formPairs, readBody } from "../../../routes/http/body.ts";
import { usualText } from "./generate.ts";
import { type Parser, textParser } from "./parser.ts";

/** Resources that requests create. */
const made: AnyResource[] = [
  resources.clients,
  resources.applications,
  resources.messages,
  resources.emails,
  resources.incomingPhoneNumbers,
];
const operations: Parameters[] = [
  placeParameters,
  ...made.map((definition) => {
    const { required, optional } = definition.create!;
    return { ...definition, schema: paramsSchema(definition.fields, required, optional) };
  }),
];

async function read(text: string, type: string): Promise<void> {
  for (const parameters of operations) {
    try {
      const body = new TextEncoder().encode(text);
      const request = new Request("http://api.test/", {
        method: "POST",
        body,
        headers: { "Content-Type": type, "Content-Length": String(body.length) },
      });
      const sent = await readBody(request, accepts(parameters));
      const { fields, unknown } = matchFields(parameters, sent);
      for (const name of unknown.slice(0, 10)) nearestName(name, namesOf(parameters));
      parseFields(parameters, fields);
    } catch {
      // Refused; the next operation reads it too.
    }
  }
}

const form = "application/x-www-form-urlencoded";

/** Parameters that requests have, all with texts of a length. */
const fieldsOf = (length: number): Record<string, string> => ({
  From: "+15550100",
  To: "+15550101",
  Url: `https://app.test/voice?${"a".repeat(Math.min(1_900, length))}`,
  Body: usualText(Math.min(length, 1_500)),
  FriendlyName: "The quick brown fox",
  Login: "alice",
  Password: "a long secret word",
  VoiceUrl: "https://app.test/voice",
  EmailAddress: "alice@example.com",
  Subject: "A subject",
});
const usualFields = (size: number): [string, string][] => {
  const fields = Object.entries(fieldsOf(size / 4));
  const known = new URLSearchParams(fields).toString().length;
  const count = Math.min(900, Math.max(0, Math.floor((size - known) / 300)));
  const length = count === 0 ? 0 : (size - known) / count - 20;
  const more = Array.from({ length: count }, (_, n): [string, string] => [
    `Customer${n}`,
    usualText(length),
  ]);
  return [...fields, ...more];
};
const names = [...Object.keys(fieldsOf(1)), "StatusCallbackEvent", "Flow", "Twiml", "Method", "Cc"];

const words = [
  "&",
  "=",
  "%",
  "%41",
  "%C3%A9",
  "%ff",
  "+",
  "a",
  "a#",
  "a#=b&",
  "a=b&",
  "&&",
  "To",
  "To=a&",
  "Form=",
  ";",
  "[",
  "]",
  "@",
  ".",
  "@a.",
  "http://",
  "https://a/",
  "/",
  "?",
  "\u0000",
  "é",
  "漢",
  " ",
  "-",
  "1",
  "client:",
  "sip:a@b",
  "Login=",
];

const forms = textParser({
  name: "forms",
  sizes: [2_000, 60_000, 300_000],
  words,
  sample: new URLSearchParams(fieldsOf(100)).toString(),
  usual: (size) => new URLSearchParams(usualFields(size)).toString().slice(0, size),
  slots: [
    (fill) => fill,
    ...names.map((name) => (fill: string) => `${name}=${fill}`),
    (fill) => names.map((name) => `${name}=${fill.slice(0, fill.length / names.length)}`).join("&"),
  ],
  read: (text) => read(text, form),
});

const json = textParser({
  name: "JSON bodies",
  sizes: [2_000, 60_000, 300_000],
  words: [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "\\u0041",
    "a",
    '"a"',
    '"a#":1,',
    '"a":1,',
    "1",
    "1e9",
    "0.",
    "-",
    "null,",
    "true",
    " ",
    "\n",
    "[[",
    '{"a":',
    "漢",
    "\ud800",
    '"__proto__":1,',
    '"To":',
    "1.5,",
    "[1],",
    "{},",
  ],
  pairs: [["[", "]"], ['{"a":', "}"], ['{"a#":', "}"], ['"', '"']],
  sample: JSON.stringify(fieldsOf(100)),
  usual: (size) => JSON.stringify(Object.fromEntries(usualFields(size))),
  slots: [
    (fill) => fill,
    (fill) => `{${fill}}`,
    (fill) => `{"a":${fill}}`,
    (fill) => `{"a":[${fill}1]}`,
    (fill) => `{${fill}"z":1}`,
    (fill) => `{${fill}"z":1,"z":1}`,
    ...names.map((name) => (fill: string) => `{"${name}":"${fill.replaceAll(/["\\]/g, "")}"}`),
  ],
  read: (text) => read(text, "application/json"),
});

const queries = textParser({
  name: "queries of lists",
  sizes: [2_000, 15_000],
  words: [
    ...words,
    "StartTime=",
    "2026-01-01",
    "T00:00:00Z",
    ">=",
    "%3E=",
    "DateCreated>=2026&",
    "PageSize=1&",
    "Page=1&",
    "Status=a&",
    "CA0",
    "PageToken=",
  ],
  sample: "Status=completed&From=%2B15550100&StartTime=2026-01-01&PageSize=50",
  usual: (size) =>
    `Status=completed&From=%2B15550100&StartTime=2026-01-01&${
      Array.from({ length: Math.min(900, size / 13) }, (_, n) => `Custom${n}=${n}`)
        .join("&")
    }`.replaceAll(" ", "+").slice(0, size),
  slots: [
    (fill) => fill,
    ...["StartTime", "DateCreated>", "From", "To", "Status", "PageSize", "PageToken", "AfterSid"]
      .map((name) => (fill: string) => `${name}=${fill}`),
  ],
  read(text) {
    for (const definition of made) {
      try {
        readListQuery(definition, formPairs(text));
      } catch {
        // Refused; the next list reads it too.
      }
    }
  },
});

export const restParsers: Parser[] = [forms, json, queries];
