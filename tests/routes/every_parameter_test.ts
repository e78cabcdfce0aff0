import assert from "node:assert/strict";
import { snake } from "../../core/base/wire.ts";
import type { ApiClient, Form } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { beyond, type ParameterSchema, within } from "../support/process/bounds.ts";
import { fillIn } from "../support/service/filled_paths.ts";
import { document } from "../support/service/openapi.ts";

/** Every parameter that the description has is held to it: what it forbids is refused, by name. */

/** The least that each creation takes; an update takes nothing. */
const least: Record<string, (n: number) => Form> = {
  AccountCreate: (n) => ({ EmailAddress: `child${n}@example.com`, Password: "secret" }),
  ApplicationCreate: () => ({ FriendlyName: "ivr" }),
  CallCreate: () => ({ From: "+15550001", To: "client:bob", Url: "https://app.test/voice" }),
  ClientCreate: () => ({ Login: "bob", Password: "secret" }),
  DeliveryReplayCreate: () => ({ Replay: "failed", StartTime: "2024-01-31T11:00:00Z" }),
  DeliveryUpdate: () => ({ Replay: "true" }),
  DocumentTestCreate: () => ({ Url: "https://app.test/voice" }),
  DryRunWanted: () => ({ Flow: '{"start":"a","steps":{"a":{"type":"hangup"}}}' }),
  EmailMessageCreate: () => ({ From: "a@app.test", To: "b@app.test", Body: "x", Subject: "y" }),
  GatewayCreate: () => ({ UserName: "trunk", Password: "secret", Proxy: "sip.carrier.test" }),
  ImmediateGeolocationCreate: () => ({
    DeviceIdentifier: "+59899077937",
    StatusCallback: "https://app.test/found",
  }),
  IncomingPhoneNumberCreate: () => ({ PhoneNumber: "+14155550150" }),
  NotificationGeolocationCreate: () => ({
    DeviceIdentifier: "+59899077937",
    StatusCallback: "https://app.test/found",
    EventGeofenceLatitude: "-90",
    EventGeofenceLongitude: "180",
    GeofenceRange: "0.001",
    GeofenceEvent: "in",
  }),
  StreamCreate: () => ({ Url: "wss://agent.test/" }),
  OutgoingCallerIdCreate: () => ({ PhoneNumber: "+14155550109" }),
  ValidationRequestCreate: () => ({ PhoneNumber: "+14155550119" }),
  UssdPushCreate: () => ({ From: "+14155550199", To: "+15550009", Url: "https://app.test/ussd" }),
  SMSMessageCreate: () => ({ From: "+15550001", To: "+15550009", Body: "Hello" }),
};
/** Operations that call, for which the account needs a number to show. */
const showsNumbers = ["UssdPushCreate", "ValidationRequestCreate"];
/** What calls to numbers may show. */
const shown = { PhoneNumber: "+14155550199" };
const numberOfKind: Record<string, string> = {
  Local: "+14155550150",
  TollFree: "+18005550150",
  Mobile: "+491711234567",
};

/** Codes of their own; every other parameter that is wrong answers 20001. */
const codes: Record<string, number> = {
  "CallCreate.From": 21212,
  "CallCreate.To": 21211,
  "CallCreate.Url": 21205,
  "CallUpdate.Url": 21205,
  "UssdPushCreate.From": 21212,
  "UssdPushCreate.To": 21211,
  "UssdPushCreate.Url": 21205,
  "SMSMessageCreate.From": 21212,
  "SMSMessageCreate.To": 21211,
  "SMSMessageCreate.Body": 21602,
  "ImmediateGeolocationCreate.StatusCallback": 21205,
  "NotificationGeolocationCreate.StatusCallback": 21205,
  "DocumentTestCreate.Url": 21205,
  "IncomingPhoneNumberCreate.PhoneNumber": 21421,
  "IncomingPhoneNumberCreate.AreaCode": 21452,
  "IncomingPhoneNumberCreateOfKind.PhoneNumber": 21421,
  "OutgoingCallerIdCreate.PhoneNumber": 21421,
  "ValidationRequestCreate.PhoneNumber": 21421,
  "StreamCreate.Url": 31940,
};

const numbers = ["", "abc", "4155550150", "+1", "+1415555015x", "+14155550150 x9"];
const nobody = `AP${"0".repeat(32)}`;
const addresses = ["", "nobody", "a@app.test,", "a@app.test, b", "Bob <b@app.test>"]
  .concat(Array(31).fill("a@app.test").join(","));

const paths = ["demo", "//app.test/", "/\\app.test", "ftp://app.test/"];
const flows = ["{", "[]", '{"start":"a","steps":{}}', '{"start":"a","steps":{"a":{"type":"x"}}}'];

const drafts = ["{", "[]", '{"start":"a"}', '{"steps":[]}', '{"steps":{"a":1}}'];

/** What a schema cannot say. */
const rules: Record<string, string[]> = {
  "ApplicationCreate.Flow": flows,
  "ApplicationUpdate.Flow": flows,
  "ApplicationCreate.FlowDraft": drafts,
  "ApplicationUpdate.FlowDraft": drafts,
  "TokenCreate.Login": ["nobody", "x y"],
  "DryRunWanted.Flow": ["", ...flows],
  "DryRunWanted.Inputs": ["", "{", "{}", '[{"type":"x"}]', '[{"type":"keys","digits":"x"}]'],
  "ApplicationUpdate.FlowVersion": ["-1", "x"],
  "ApplicationUpdate.FlowDraftVersion": ["-1", "x"],
  "ApplicationUpdate.FlowDraftRevision": ["-1", "x"],
  "ApplicationCreate.RcmlUrl": paths,
  "ApplicationUpdate.RcmlUrl": paths,
  "UssdPushCreate.To": ["bob", "client:bob", "sip:bob@app.test", "+1 415 555 x"],
  "CallCreate.To": ["bob", "client:", "sip:bob", "tel:123", "+1 415 555 x", "client:a b"],
  "SMSMessageCreate.From": ["x y", "12", "client:nobody", "+0123456"],
  "SMSMessageCreate.To": ["bob", "client:", "5550001", "+0123456", "sip:bob@app.test"],
  "EmailMessageCreate.To": addresses,
  "EmailMessageCreate.CC": addresses,
  "EmailMessageCreate.BCC": addresses,
  "EmailMessageCreate.Subject": ["a\r\nBcc: b@app.test", "x\u2028y"],
  "NotificationGeolocationCreate.EventGeofenceLatitude": ["90.1", "-91", "1,5", "N 33"],
  "NotificationGeolocationCreate.EventGeofenceLongitude": ["180.1", "-181", "1e2"],
  "NotificationGeolocationCreate.GeofenceRange": ["0", "-1", "5 km"],
  "IncomingPhoneNumberCreate.PhoneNumber": numbers,
  "IncomingPhoneNumberCreateOfKind.PhoneNumber": [...numbers, "+18002"],
  "IncomingPhoneNumberUpdate.AccountSid": ["", "AC1", `AC${"0".repeat(32)}`],
  "OutgoingCallerIdCreate.PhoneNumber": numbers,
  "ValidationRequestCreate.PhoneNumber": numbers,
  "LimitsUpdate.MaxSpendPerDay": ["-1", "1e3", "1,5", "0.1234567"],
  "LimitsUpdate.DestinationPrefixes": ["49", "+0", "+49;+43", "+49,", "all"],
  "LimitsUpdate.PremiumPrefixes": ["882", "+882 ", "none,+882"],
};
const listRules: Record<string, string[]> = {
  StartTime: ["", "yesterday", "2024-02-30", "2024-1-1", "<2024", "2024-01-01T25:00:00Z"],
  EndTime: ["", "01/02/2024", ">", "2024-13-01"],
  PhoneNumber: ["x".repeat(129)],
};

/** Here a valid value is taken or not by the record as it is; the flows test that. */
const byRecord = [
  "AccountUpdate",
  "CallUpdate",
  "ConferenceUpdate",
  "NumberImport", // A table of CSV.
  "ParticipantUpdate",
  "StreamCreate", // Its call is not in progress.
];

interface Described {
  parameters?: { name: string; in: string; schema: ParameterSchema }[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
}
interface Operation extends Described {
  method: string;
  path: string;
}

const operations: Operation[] = Object.entries(document.paths)
  .filter(([path]) => path.endsWith(".json"))
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => ({
      ...described as Described,
      method: method.toUpperCase(),
      path,
    }))
  );

for (const { method, path, requestBody } of operations) {
  const schemaName = requestBody?.content["application/json"]?.schema.$ref.split("/").at(-1);
  if (schemaName === undefined) continue;
  const { properties, required = [] } = document.components.schemas![schemaName] as unknown as {
    properties: Record<string, ParameterSchema>;
    required?: string[];
  };
  const kind = path.split("/").at(-1)!.split(".")[0]!;
  const leastForm = (n: number): Form =>
    kind in numberOfKind ? { PhoneNumber: numberOfKind[kind]! } : least[schemaName]?.(n) ?? {};

  Deno.test(`${method} ${path} refuses every wrong value of every parameter`, async () => {
    using app = await startApp();
    if (showsNumbers.includes(schemaName)) await app.root.post("OutgoingCallerIds.json", shown);
    const address = (await fillIn(app))(path);
    const before = await stateOf(app);
    for (const [name, schema] of Object.entries(properties)) {
      const parameter = `${schemaName}.${name}`;
      const wrong = [...beyond(schema), ...rules[parameter] ?? []];
      assert.ok(wrong.length > 0, `nothing is wrong for ${parameter}`);
      const twice = schema.type === "array" ? [] : [["1", "1"]];
      const unknown = /Application?Sid$/.test(name) ? [nobody] : [];
      for (const value of [...wrong, ...twice, ...unknown]) {
        const form = { ...leastForm(0), [name]: value };
        await assertRefused(app.root, { method, address, form, name, code: codes[parameter] });
      }
    }
    for (const name of required) {
      const { [name]: _, ...form } = leastForm(0);
      const code = codes[`${schemaName}.${name}`];
      await assertRefused(app.root, { method, address, form, name, code });
    }
    assert.deepEqual(await stateOf(app), before);
  });

  Deno.test(`${method} ${path} knows no parameter by its name in another case`, async () => {
    using app = await startApp();
    if (showsNumbers.includes(schemaName)) await app.root.post("OutgoingCallerIds.json", shown);
    const address = (await fillIn(app))(path);
    let made = 0;
    for (const name of Object.keys(properties)) {
      const odd = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
      const { [name]: value = "1", ...form } = leastForm(++made);
      const answer = await send(app.root, { method, address, form: { ...form, [odd]: value } });
      const warning = `299 - "Unknown parameter: ${odd}. Did you mean ${name}?"`;
      assert.equal(answer.headers.get("Warning"), warning);
      const isMissing = name in leastForm(0) || required.includes(name);
      const isRefused: boolean = isMissing || schemaName === "StreamCreate";
      assert.equal(answer.status, isRefused ? 400 : 200, answer.text);
      if (schemaName.includes("Create")) await app.root.delete(answer.json().uri ?? address);
    }
  });

  if (byRecord.includes(schemaName)) continue;
  Deno.test(`${method} ${path} takes and shows every value at the bounds`, async () => {
    using app = await startApp();
    if (showsNumbers.includes(schemaName)) await app.root.post("OutgoingCallerIds.json", shown);
    const address = (await fillIn(app))(path);
    let made = 0;
    for (const [name, schema] of Object.entries(properties)) {
      const isRuled: boolean = `${schemaName}.${name}` in rules && schema.enum === undefined;
      for (const value of isRuled ? [] : within(schema)) {
        const form = { ...leastForm(++made), [name]: value };
        const answer = await send(app.root, { method, address, form });
        assert.equal(answer.status, 200, `${name}=${value}: ${answer.text}`);
        const shown = answer.json()[snake(name.charAt(0).toLowerCase() + name.slice(1))];
        if (shown !== undefined) assert.equal(String(shown ?? ""), value, name);
        if (schemaName.includes("Create")) await app.root.delete(answer.json().uri ?? address);
      }
    }
  });
}

for (const { method, path, parameters = [] } of operations) {
  const queried = parameters.filter((one) => one.in === "query");
  if (queried.length === 0) continue;

  Deno.test(`${method} ${path} refuses every wrong filter, and takes the others`, async () => {
    using app = await startApp();
    const address = (await fillIn(app))(path);
    for (const { name, schema } of queried) {
      const wrong = beyond(schema);
      for (const value of [...wrong, ...listRules[name] ?? []]) {
        const query = new URLSearchParams([[name, value]]);
        await assertRefused(app.root, { method, address: `${address}?${query}`, name });
      }
      await assertRefused(app.root, { method, address: `${address}?${name}=1&${name}=1`, name });
      for (const value of within(schema)) {
        const answer = await app.root.get(`${address}?${new URLSearchParams([[name, value]])}`);
        assert.equal(answer.status, 200, `${name}=${value}`);
      }
    }
  });
}

interface Sent {
  method: string;
  address: string;
  form?: Form;
}

const send = (client: ApiClient, { method, address, form }: Sent) =>
  method === "GET"
    ? client.get(address)
    : client[method === "POST" ? "post" : "put"](address, form ?? {});

async function assertRefused(
  client: ApiClient,
  { name, code = 20001, ...sent }: Sent & { name: string; code?: number | undefined },
): Promise<void> {
  const answer = await send(client, sent);
  const what = `${Deno.inspect(sent)}: ${answer.text}`;
  assert.equal(answer.status, 400, what);
  assert.match(answer.json().message, new RegExp(`: (?:.*; )?${name} `), what);
  assert.equal(answer.json().code, code, what);
}

/** All that is kept of the root account, and its sub-accounts; refusals are noticed. */
async function stateOf({ ports, root }: App) {
  const everything = { where: [], skip: 0, limit: 1_000 };
  const { notifications: _, ...records } = ports.records;
  const collections = Object.values(records);
  return {
    records: await Promise.all(collections.map((one) => one.list(root.sid, everything))),
    account: await ports.accounts.get(root.sid),
    children: await ports.accounts.children(root.sid),
  };
}
