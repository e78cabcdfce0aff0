import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { accounts } from "../../core/twilio/accounts.ts";
import { nouns } from "../../core/twilio/mod.ts";
import type { AnyNoun } from "../../core/twilio/noun/noun.ts";

/** Folder of npm `twilio`, as it is published. */
const library = dirname(createRequire(import.meta.url).resolve("twilio"));

const paging = ["Page", "PageSize", "PageToken"];

/** The names of the parameters that an operation of the library sends. */
function namesIn(source: string, operation: string): Set<string> {
  const found = new Set<string>();
  for (const method of source.split(/\n {4}(?=(?:instance\.)?\w+(?: = function \w+)?\()/)) {
    if (!new RegExp(`^(?:instance\\.)?${operation}(?: = function ${operation})?\\(`).test(method)) {
      continue;
    }
    for (const [, name] of method.matchAll(/data\["([^"]+)"\]/g)) {
      found.add(name!.replace(/[<>]$/, ""));
    }
  }
  return found;
}

/** The file of the library about a noun: `Calls/{CallSid}/Events` is call/event.js. */
function fileOf({ path, type, isAccount }: AnyNoun): string {
  if (isAccount) return "account.js";
  const special: Record<string, string> = {
    "AvailablePhoneNumbers": "availablePhoneNumberCountry",
    "Addresses": "address",
    "Balance": "balance",
    "Media": "media",
    "Queues": "queue",
    "Usage": "usage",
    "AllTime": "allTime",
    "Daily": "daily",
    "TollFree": "tollFree",
  };
  if (type === "ValidationRequest") return "account/validationRequest.js";
  const words = path.replaceAll(/\{\w+\}\//g, "").split("/");
  const names = words.map((word) =>
    special[word] ?? word.charAt(0).toLowerCase() + word.slice(1).replace(/s$/, "")
  );
  return `account/${names.join("/")}.js`;
}

for (const noun of [accounts as AnyNoun, ...nouns]) {
  Deno.test(`${noun.type} at ${noun.path} names each parameter of npm twilio`, async () => {
    const file = `${library}/rest/api/v2010/${fileOf(noun)}`;
    const source = await Deno.readTextFile(file);
    const declared = {
      create: noun.create?.parameters,
      update: noun.update?.parameters,
      page: noun.listed?.filters,
    };
    for (const [operation, known] of Object.entries(declared)) {
      if (known === undefined) continue;
      const sent = [...namesIn(source, operation)].filter((name) => !paging.includes(name));
      assert.deepEqual(sent.filter((name) => !(name in known)), [], operation);
    }
  });
}

/** The fields that the library reads of a record, and those of the envelope of a list. */
const fieldsIn = (source: string): Set<string> =>
  new Set([...source.matchAll(/payload\.([a-z_0-9]+)/g)].map(([, name]) => name!));

const envelope = ["page", "page_size", "start", "end", "first_page_uri", "next_page_uri"]
  .concat("previous_page_uri");

for (const noun of [accounts as AnyNoun, ...nouns]) {
  const isEmpty = Object.keys(noun.fields).length === 0 || noun.note?.includes("the list is empty");
  if (isEmpty) continue;
  Deno.test(`${noun.type} at ${noun.path} shows each field that npm twilio reads`, async () => {
    const source = await Deno.readTextFile(`${library}/rest/api/v2010/${fileOf(noun)}`);
    const shown = [...Object.keys(noun.fields), "uri", noun.plural, ...envelope]
      .concat(noun.below === undefined ? [] : "subresource_uris");
    assert.deepEqual([...fieldsIn(source)].filter((name) => !shown.includes(name)), []);
  });
}

Deno.test("the parameters of npm twilio are found in its sources", async () => {
  const source = await Deno.readTextFile(`${library}/rest/api/v2010/account/call.js`);

  assert.ok(namesIn(source, "create").has("Twiml"));
  assert.ok(namesIn(source, "update").has("TimeLimit"));
  assert.ok(namesIn(source, "page").has("StartTime"));
  assert.ok(fieldsIn(source).has("answered_by"));
});
