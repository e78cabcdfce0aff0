import assert from "node:assert/strict";
import { version } from "../core/base/version.ts";
import { resources } from "../core/model/resources/mod.ts";
import { examplesOf } from "./support/service/openapi_examples.ts";
import { type App, startApp } from "./support/service/app.ts";
import { dryRun, sampleTrace } from "./support/service/filled_paths.ts";
import { golden } from "./support/service/golden.ts";
import {
  makeParticipant,
  makeSample,
  sampleBinding,
  sampledNames,
} from "./support/service/samples.ts";

for (const name of sampledNames) {
  const { path } = resources[name];

  Deno.test(`${path}: the wire formats are those of tests/golden`, async () => {
    using app = await startApp();
    const sid = await makeSample(app, app.root, { name });
    await makeSample(app, app.root, { name, n: 2 });

    await golden(`${name}_one.json`, (await app.root.get(`${path}/${sid}.json`)).text);
    await golden(`${name}_one.xml`, (await app.root.get(`${path}/${sid}`)).text);
    await golden(`${name}_list.json`, (await app.root.get(`${path}.json?PageSize=1`)).text);
    await golden(`${name}_list.xml`, (await app.root.get(`${path}?PageSize=1`)).text);
  });
}

Deno.test("Accounts: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  await app.subAccount(app.root, "child");

  const own = `/2012-04-24/Accounts/${app.root.sid}`;
  await golden("accounts_one.json", (await app.root.get(`${own}.json`)).text);
  await golden("accounts_one.xml", (await app.root.get(own)).text);
  await golden("accounts_list.json", (await app.root.get("/2012-04-24/Accounts.json")).text);
  await golden("accounts_list.xml", (await app.root.get("/2012-04-24/Accounts")).text);
});

/** Resources that are made and read in their own way: how, and below which path. */
const irregular: Record<string, (app: App) => Promise<string>> = {
  emails: () => Promise.resolve("Email/Messages"),
  geolocations: async (app) => {
    const { uri } = (await app.root.post("Geolocation/Notification.json", {
      DeviceIdentifier: "+59899077937",
      StatusCallback: "https://app.test/geo",
      EventGeofenceLatitude: "-33.426280",
      EventGeofenceLongitude: "-70.56656",
      GeofenceRange: "300",
      GeofenceEvent: "in",
    })).json();
    await app.runJobs();
    return uri.replace(".json", "");
  },
  participants: async (app) => {
    const room = await makeSample(app, app.root, { name: "conferences" });
    const call = await makeSample(app, app.root, { name: "calls" });
    await makeParticipant(app, room, call);
    return `Conferences/${room}/Participants/${call}`;
  },
  sandboxes: () => Promise.resolve("Sandbox"),
};

for (const [name, make] of Object.entries(irregular)) {
  Deno.test(`${name}: the wire formats are those of tests/golden`, async () => {
    const lookUp = () =>
      Promise.resolve("mcc=748,mnc=01,lac=10100,cellid=20042,aol=3,vlrNumber=598");
    using app = await startApp({ ports: { locationSource: { lookUp } } });
    const path = await make(app);
    const form = { From: "a@example.com", To: "b@example.com", Subject: "Hi <b>", Body: "hello" };
    const read = (address: string) =>
      name === "emails" ? app.root.post(address, form) : app.root.get(address);

    await golden(`${name}_one.json`, (await read(`${path}.json`)).text);
    await golden(`${name}_one.xml`, (await read(path)).text);
  });
}

/** A call in progress, in a conference. */
async function meeting(app: App) {
  const room = await makeSample(app, app.root, { name: "conferences" });
  const call = await makeSample(app, app.root, { name: "calls" });
  const companion = { id: "companion", runId: "run" };
  await app.ports.companions.beat({ ...companion, seenAt: app.clock.now, registered: 1 });
  await app.ports.records.calls.update(app.root.sid, call, (before) => ({
    record: { ...before, status: "in-progress", companion, sipCallId: "abc@host" },
  }));
  await makeParticipant(app, room, call);
  return { room, call };
}

Deno.test("Participants and muted Calls: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  const { room, call } = await meeting(app);

  const list = `Conferences/${room}/Participants`;
  await golden("participants_list.json", (await app.root.get(`${list}.json`)).text);
  await golden("participants_list.xml", (await app.root.get(list)).text);
  const mute = (path: string) => app.root.post(path, { Mute: "true" });
  await golden("calls_muted.json", (await mute(`Calls/${call}.json`)).text);
  await golden("calls_muted.xml", (await mute(`Calls/${call}`)).text);
});

Deno.test("Progress of a call: the wire format is that of tests/golden", async () => {
  using app = await startApp();
  const sid = await makeSample(app, app.root, { name: "calls" });
  const { now } = app.clock;
  const disconnection = { by: "remote", cause: "bye", text: 'SIP;cause=200;text="Bye"' } as const;
  await app.ports.records.calls.update(app.root.sid, sid, (call) => ({
    record: {
      ...call,
      status: "completed",
      ringingAt: now + 400,
      answeredAt: now + 5_400,
      endTime: now + 17_400,
      disconnection,
    },
  }));
  await golden("calls_progress.json", (await app.root.get(`Calls/${sid}/Progress.json`)).text);
});

Deno.test("Monitors of a call: the wire format is that of tests/golden", async () => {
  using app = await startApp();
  const sid = await makeSample(app, app.root, { name: "calls" });
  const monitors = [{ callSid: `CA${"5".repeat(32)}`, to: "client:alice", at: app.clock.now }];
  await app.ports.records.calls.update(app.root.sid, sid, (call) => ({
    record: { ...call, monitors },
  }));
  await golden("calls_monitors.json", (await app.root.get(`Calls/${sid}/Monitors.json`)).text);
});

Deno.test("SIP traces: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  const sid = await makeSample(app, app.root, { name: "calls" });
  await app.ports.sipTraces.put({ accountSid: app.root.sid, sid }, sampleTrace, 3_600_000);
  await golden("calls_sip_trace.json", (await app.root.get(`Calls/${sid}/SipTrace.json`)).text);
});

Deno.test("Dry runs: the wire format is that of tests/golden", async () => {
  using app = await startApp();
  await golden("dry_run.json", (await app.root.post("Applications/DryRuns.json", dryRun)).text);
});

Deno.test("Supervisor: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  await meeting(app);

  const metrics = await app.root.get("Supervisor.json/metrics?LiveCallDetails=true");
  const ofAnyVersion = metrics.text.replace(`"Version":"${version}"`, '"Version":"1.0.0"');
  await golden("supervisor_metrics.json", ofAnyVersion);
  const configured = await app.root.get("Supervisor.json/configuration");
  await golden("supervisor_configuration.json", configured.text);
  const companions = await app.root.get("Supervisor.json/companions");
  await golden("supervisor_companions.json", companions.text);
  await golden("supervisor_livecalls.json", (await app.root.get("Supervisor.json/livecalls")).text);
});

Deno.test("Supervisor jobs: the wire format is that of tests/golden", async () => {
  const at = Date.UTC(2024, 0, 31, 12);
  const jobs = {
    overview: () =>
      Promise.resolve({
        kinds: [{ kind: "call.dial", waiting: 0, due: 2, leased: 1, dead: 1, oldestDue: at }],
        dead: [{
          id: "00000aa1b2c3d4e5f60718",
          kind: "call.dial",
          lane: "dial",
          attempts: 3,
          madeAt: at,
          error: "Error: no companion answers",
        }],
        isWhole: true,
      }),
    dead: () => Promise.resolve(null),
    retry: () => Promise.resolve(true),
    discard: () => Promise.resolve(true),
    dueAt: () => Promise.resolve(null),
    hurry: () => Promise.resolve(false),
  };
  using app = await startApp({ ports: { jobs } });
  const retried = app.root.post("Supervisor.json/jobs", { Retry: "00000aa1b2c3d4e5f60718" });
  await golden("supervisor_job_retried.json", (await retried).text);
  await golden("supervisor_jobs.json", (await app.root.get("Supervisor.json/jobs")).text);
});

Deno.test("Supervisor store and numbers: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  await makeSample(app, app.root, { name: "calls" });
  const Numbers = "PhoneNumber,Kind\n+14155550100,local\nnone,local\n";
  const imported = await app.root.post("Supervisor.json/numbers", { Numbers });
  await golden("supervisor_numbers_imported.json", imported.text);
  await golden("supervisor_store.json", (await app.root.get("Supervisor.json/store")).text);
});

Deno.test("AvailablePhoneNumbers: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  const country = "AvailablePhoneNumbers/CA";
  const query = "PageSize=2&AreaCode=416";

  const offered = app.root.get("AvailablePhoneNumbers?PageSize=2");
  await golden("available_countries.xml", (await offered).text);
  const countries = await app.root.get("AvailablePhoneNumbers.json?PageSize=2");
  await golden("available_countries.json", countries.text);
  await golden("available_country.json", (await app.root.get(`${country}.json`)).text);
  await golden("available_country.xml", (await app.root.get(country)).text);
  await golden("available_list.json", (await app.root.get(`${country}/Local.json?${query}`)).text);
  await golden("available_list.xml", (await app.root.get(`${country}/Local?${query}`)).text);
});

Deno.test("Bindings: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  const sid = await makeSample(app, app.root, { name: "clients" });
  app.registered.set("alice1", [sampleBinding(app)]);

  await golden("bindings_list.json", (await app.root.get(`Clients/${sid}/Bindings.json`)).text);
  await golden("bindings_list.xml", (await app.root.get(`Clients/${sid}/Bindings`)).text);
});

Deno.test("Tokens: the wire formats are those of tests/golden", async () => {
  using app = await startApp();

  await golden("tokens_one.json", (await app.root.post("Tokens.json", { Ttl: "600" })).text);
  await golden("tokens_one.xml", (await app.root.post("Tokens", { Ttl: "600" })).text);
});

Deno.test("ValidationRequests: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber: "+14155550199" });
  const form = { PhoneNumber: "+14155550119" };
  const path = "OutgoingCallerIds/ValidationRequests";
  const fixed = ({ text }: { text: string }) =>
    text.replace(/(alidation_code":"|alidationCode>)\d{6}/, "$1123456");

  await golden("validation_one.json", fixed(await app.root.post(`${path}.json`, form)));
  await golden("validation_one.xml", fixed(await app.root.post(path, form)));
});

Deno.test("DeliveryReplay: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  const form = { Replay: "failed", StartTime: "2024-01-31T11:00:00Z" };

  await golden(
    "deliveryReplays_one.json",
    (await app.root.post("Webhooks/Deliveries.json", form)).text,
  );
  await golden("deliveryReplays_one.xml", (await app.root.post("Webhooks/Deliveries", form)).text);
});

Deno.test("Limits: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  const below = await app.subAccount(app.root, "below");
  const path = `/2012-04-24/Accounts/${below.sid}/Limits`;
  await app.root.post(path, {
    MaxConcurrentCalls: "10",
    MaxCallsPerSecond: "2",
    MaxTextsPerDay: "500",
    MaxSpendPerDay: "25.00",
    DestinationPrefixes: "+49,+43",
  });

  await golden("limits_one.json", (await app.root.get(`${path}.json`)).text);
  await golden("limits_one.xml", (await app.root.get(path)).text);
});

Deno.test("SecondFactor: the wire formats are those of tests/golden", async () => {
  using app = await startApp();

  await golden("secondFactors_one.json", (await app.root.get("SecondFactor.json")).text);
  await golden("secondFactors_one.xml", (await app.root.get("SecondFactor")).text);
});

Deno.test("Document tests: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  const markup = "<Response><Fax/><Say>Hello</Say></Response>";
  app.answers = () => new Response(markup, { headers: { "Content-Type": "text/xml" } });
  const form = { Url: "https://app.test/voice", From: "+14155550199" };

  await golden("document_tests_one.json", (await app.root.post("Webhooks/Tests.json", form)).text);
  await golden("document_tests_one.xml", (await app.root.post("Webhooks/Tests", form)).text);
});

Deno.test("Keys and AuthTokens: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  const fixed = (text: string) =>
    text.replace(/sbk_[\w-]{32}/, `sbk_${"0".repeat(32)}`)
      .replace(/(uth_token":"|AuthToken>)[0-9a-f]{32}/, `$1${"0".repeat(32)}`);

  const made = await app.root.post("Keys.json", { FriendlyName: "ci" });
  await golden("keys_new.json", fixed(made.text));
  await golden("keys_new.xml", fixed((await app.root.post("Keys", { FriendlyName: "x" })).text));
  const { sid } = made.json();
  await golden("keys_one.json", (await app.root.get(`Keys/${sid}.json`)).text);
  await golden("keys_one.xml", (await app.root.get(`Keys/${sid}`)).text);
  await golden("keys_list.json", (await app.root.get("Keys.json")).text);
  await golden("keys_list.xml", (await app.root.get("Keys")).text);
  await golden("auth_tokens_one.json", (await app.root.get("AuthTokens.json")).text);
  await golden("auth_tokens_one.xml", (await app.root.get("AuthTokens")).text);
  const second = await app.root.post("AuthTokens/Secondary.json");
  await golden("secondary_one.json", fixed(second.text));
  const promoted = await app.root.post("AuthTokens/Promote.json");
  await golden("promotion_one.json", fixed(promoted.text));
});

Deno.test("E-mails and look-ups: the wire formats of their lists are those of tests/golden", async () => {
  const lookUp = () => Promise.resolve("mcc=748,mnc=01,lac=10100,cellid=20042,aol=3,vlrNumber=598");
  using app = await startApp({ ports: { locationSource: { lookUp } } });
  const form = { From: "a@example.com", To: "b@example.com", Subject: "Hi <b>", Body: "hello" };
  await app.root.post("Email/Messages.json", form);
  const lookedFor = { DeviceIdentifier: "+59899077937", StatusCallback: "https://app.test/geo" };
  await app.root.post("Geolocation/Immediate.json", lookedFor);
  await app.runJobs();
  const paths = { emailRecords: "Email/Messages", geolocations: "Geolocation" };
  for (const [name, path] of Object.entries(paths)) {
    const list = (await app.root.get(`${path}.json`)).json();
    const [{ sid }] = Array.isArray(list) ? list : list.messages;
    await golden(`${name}_list.json`, (await app.root.get(`${path}.json`)).text);
    await golden(`${name}_list.xml`, (await app.root.get(path)).text);
    if (name === "geolocations") continue;
    await golden(`${name}_one.json`, (await app.root.get(`${path}/${sid}.json`)).text);
    await golden(`${name}_one.xml`, (await app.root.get(`${path}/${sid}`)).text);
  }
});

Deno.test("Statistics: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  await makeSample(app, app.root, { name: "clients" });
  await makeSample(app, app.root, { name: "deliveries" });

  await golden("statistics_one.json", (await app.root.get("Statistics.json?Span=day")).text);
  await golden("statistics_one.xml", (await app.root.get("Statistics?Span=day")).text);
});

Deno.test("Usage Records: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  await app.root.post("IncomingPhoneNumbers", { PhoneNumber: "+14155550100" });

  await golden("usage_list.json", (await app.root.get("Usage/Records.json")).text);
  await golden("usage_list.xml", (await app.root.get("Usage/Records")).text);
  const day = "Usage/Records/2024-01-31/totalprice";
  await golden("usage_one.json", (await app.root.get(`${day}.json`)).text);
  await golden("usage_one.xml", (await app.root.get(day)).text);
});

Deno.test("errors: the wire formats are those of tests/golden", async () => {
  using app = await startApp();

  await golden("error.json", (await app.root.get("Nothing.json")).text);
  await golden("error.xml", (await app.root.get("Nothing")).text);
});

Deno.test("the examples of OpenAPI are the golden files, and the requests that made them", async () => {
  const file = new URL("../core/openapi/examples.json", import.meta.url);
  const examples = JSON.stringify(await examplesOf(), null, 2) + "\n";
  if (Deno.env.get("GOLDEN") === "write") return await Deno.writeTextFile(file, examples);
  assert.equal(examples, await Deno.readTextFile(file));
});
