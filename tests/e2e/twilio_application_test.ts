import assert from "node:assert/strict";
import twilio from "twilio";
import { eventually } from "../support/process/eventually.ts";
import { freePorts, startSystem, type System } from "../support/process/system.ts";
import {
  nodeOfTests,
  pageCode,
  type PageProgram,
  runPageProgram,
} from "../support/service/page_code.ts";
import { needs } from "../support/process/programs.ts";
import { openPageCommands, pageText } from "../support/service/page_commands.ts";
import { readRecording, secondsOf } from "../support/service/recorded.ts";
import { valueOf } from "../support/sip/sip_text.ts";
import { answerTalking, type TalkingPhone } from "../support/sip/talking_phone.ts";
import {
  openTelephoneNetwork,
  type Telephone,
  type TelephoneNetwork,
} from "../support/sip/telephone_network.ts";

/**
 * The application of `docs/tutorials/twilio-application.md`, which is written for Twilio, as it
 * stands there: telephones of a carrier call it and are called by it, with audio, and an aggregator
 * carries its texts. It runs twice, once on each of the paths by which a call or text reaches it:
 *
 * - its number is made at `/2010-04-01` by the command of the tutorial, and the base address is
 *   changed by the line of the tutorial. Its agent has a telephone;
 * - its number is made at `/2012-04-24`, where a call is placed to its markup too, and the base
 *   address is changed by the request client of `docs/how-to/migrate-from-twilio.md`. It then gets
 *   requests of our contract, and its library sends those of Twilio's interface. Its agent is a
 *   Client with a softphone.
 *
 * Npm `twilio` is unmodified, and `validateRequest` checks each request that the application gets.
 */

const page = "docs/tutorials/twilio-application.md";
const tokens = { SMS_TOKEN: "a-token-for-carriers", SMS_INBOUND_TOKEN: "a-token-of-carriers" };

/** Parameters of a request that the application logged, and its path with the query as `event`. */
type Logged = Record<string, string> & { event: string };

/** Agent whom conferences call, and who steers them by texts. */
interface Agent {
  address: string;
  /** The number that the next call to it shows, and how it is answered. */
  rung(): Promise<
    { from: string; answer(): Promise<{ talking: TalkingPhone; over: Promise<void> }> }
  >;
  text(body: string): Promise<void>;
  /** Resolves when a text of the application has come. */
  reply(body: string): Promise<void>;
}

interface Installation {
  system: System;
  network: TelephoneNetwork;
  aggregator: Aggregator;
}

interface Lab extends Installation {
  path: Path;
  agent: Agent;
  app: PageProgram;
  appUrl: string;
  number: string;
  /** Logged requests of an event so far; of all events for null. */
  logged(event: string | null, fits?: Partial<Logged>): Logged[];
  /** The first, past or to come. */
  told(event: string, fits?: Partial<Logged>): Promise<Logged>;
}

interface Aggregator extends AsyncDisposable {
  url: string;
  /** Texts that left, in their order. */
  sent: { id: string; from: string; to: string; body: string }[];
  /** Brings a text in. */
  text(text: { from: string; to: string; body: string }): Promise<void>;
  /** Reports that texts to a number were delivered. */
  deliver(to: string): Promise<void>;
}

/** A carrier of texts by HTTP: it accepts each, and sends receipts when the test orders it. */
function startAggregator(): Aggregator & { system?: System } {
  const aggregator: Aggregator & { system?: System } = {
    url: "",
    sent: [],
    async text(text) {
      await post("messages", { id: crypto.randomUUID(), ...text });
    },
    async deliver(to) {
      const { id } = aggregator.sent.find((one) => one.to === to)!;
      await post("receipts", { id, status: "sent" });
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  async function post(path: string, content: unknown): Promise<void> {
    const response = await fetch(`${aggregator.system!.baseUrl}/sms/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${tokens.SMS_INBOUND_TOKEN}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(content),
    });
    assert.equal(response.status, 200, await response.text());
  }
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const text = await request.json();
    aggregator.sent.push(text);
    return Response.json({ status: "accepted", id: text.id });
  });
  aggregator.url = `http://127.0.0.1:${server.addr.port}/`;
  return aggregator;
}

/** A telephone, whose texts the aggregator carries. */
function telephoneAgent({ network, aggregator }: Installation, number: string): Agent {
  const address = "+442079460009";
  const telephone = network.telephone(address);
  return {
    address,
    rung: () => telephone.rung(),
    text: (body) => aggregator.text({ from: address, to: number, body }),
    reply: async (body) =>
      void await eventually(
        `${body} was sent`,
        () => aggregator.sent.find((one) => one.to === address && one.body === body),
      ),
  };
}

/** A softphone of the account. */
async function softphoneAgent({ system }: Installation, number: string): Promise<Agent> {
  const phone = await system.phone("alice");
  const texts: string[] = [];
  return {
    address: "client:alice",
    async rung() {
      const call = await phone.nextPlainCall();
      call.ring();
      return {
        from: /sip:([^@;>]+)/.exec(valueOf(call.invite, "from"))?.[1] ?? "",
        async answer() {
          const { talking, dialog } = await answerTalking(call);
          return { talking, over: dialog.ended.then(() => talking.close()) };
        },
      };
    },
    text: async (body) => assert.equal((await phone.message(number, body)).status, 202),
    async reply(body) {
      while (!texts.includes(body)) texts.push((await phone.nextText()).body);
    },
  };
}

interface Path {
  name: string;
  apiVersion: string;
  number: string;
  agentOf(installation: Installation, number: string): Agent | Promise<Agent>;
  /** Gives the account the number, with the addresses of the application. */
  takeNumber(system: System, app: { url: string }): Promise<void>;
  /** Lists that the application finds at the end; conferences are those of both paths. */
  report: string;
  /** Does to the program what the page of the migration says. */
  changed?: (code: string) => Promise<string>;
}

const paths: Path[] = [
  {
    name: "a number of /2010-04-01, the line of the tutorial, an agent with a telephone",
    apiVersion: "2010-04-01",
    number: "+14155550150",
    agentOf: telephoneAgent,
    report:
      "conferences: 1, inbound completed: 3, outbound-api busy: 1, outbound-api completed: 2" +
      ", texts: 5",
    async takeNumber(system, app) {
      await using commands = await openPageCommands(page, { system, app });
      assert.equal(await commands.next(), "+14155550150\n");
      commands.done();
    },
  },
  {
    name: "a number of /2012-04-24, the request client of the migration page, a softphone",
    apiVersion: "2012-04-24",
    number: "+14155550151",
    agentOf: softphoneAgent,
    report:
      "conferences: 2, inbound completed: 3, outbound-api busy: 1, outbound-api completed: 3" +
      ", texts: 5",
    async takeNumber(system, { url }) {
      const addresses = { VoiceUrl: `${url}/voice`, SmsUrl: `${url}/text` };
      const form = { PhoneNumber: "+14155550151", ...addresses };
      await system.post("IncomingPhoneNumbers.json", form);
    },
    async changed(code) {
      const text = await pageText("docs/how-to/migrate-from-twilio.md");
      const [block] = [...text.matchAll(/```js\n([^]*?)```/g)].map(([, block]) => block!)
        .filter((block) => block.includes("RequestClient"));
      const shown = block!.replace(/^import.*\n/, "").replace(/const call = [^]*/, "")
        .replace('"http://127.0.0.1:8080"', "process.env.BASE_URL");
      const changed = code.replace(/\/\*\* What differs: [^]*?\{ httpClient \}\);\n/, () => shown);
      assert.ok(!changed.includes("{ httpClient }"));
      return changed;
    },
  },
];

/** Runs the application on a path, and gives it its number. */
async function startApplication(
  installation: Installation,
  path: Path,
): Promise<Lab & AsyncDisposable> {
  const { system } = installation;
  const { number, takeNumber, changed = (code) => Promise.resolve(code) } = path;
  const [port] = freePorts(1) as [number];
  const agent = await path.agentOf(installation, number);
  const appUrl = `http://127.0.0.1:${port}`;
  const env = {
    PORT: String(port),
    PUBLIC_URL: appUrl,
    BASE_URL: system.baseUrl,
    TWILIO_ACCOUNT_SID: system.accountSid,
    TWILIO_AUTH_TOKEN: system.authToken,
    NUMBER: number,
    AGENT: agent.address,
    NO_COLOR: "1",
  };
  const code = await changed(await pageCode(page, "desk.mjs"));
  const options = { changed: () => code, command: nodeOfTests };
  const app = await runPageProgram(page, "desk.mjs", env, options);
  await takeNumber(system, { url: appUrl });
  const logged = (event: string | null, fits: Partial<Logged> = {}) =>
    app.lines().map((line): Logged => JSON.parse(line)).filter((one) =>
      [one.event, null].includes(event) &&
      Object.entries(fits).every(([name, value]) => one[name] === value)
    );
  const summary = () =>
    app.lines().map((line) => {
      const { event, CallSid, ...one }: Partial<Logged> = JSON.parse(line);
      const status = one.StatusCallbackEvent ?? one.MessageStatus ?? one.CallStatus ?? "";
      return `${event} ${CallSid ?? ""} ${status} ${one.Digits ?? one.message ?? ""}`;
    });
  return {
    ...installation,
    path,
    agent,
    app,
    appUrl,
    number,
    logged,
    told: (event, fits) =>
      eventually(
        () => `${event} ${JSON.stringify(fits)}; logged:\n${summary().join("\n")}`,
        () => logged(event, fits)[0],
        20_000,
      ),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

const eventsOf = (logged: Logged[], field: string) => logged.map((one) => one[field]);

/** A wrong key, no key, and the key for a text: the menu is said three times. */
async function asksForHours({ logged, told, number, aggregator }: Lab, anna: Telephone) {
  const call = await anna.call(number);
  const { CallSid, Direction, CallStatus } = await told("/voice", { From: anna.number });
  assert.deepEqual([Direction, CallStatus], ["inbound", "ringing"]);
  await call.talking.hearsSomething();
  call.talking.press(9);
  const wrong = await told("/choice", { CallSid: CallSid! });
  assert.deepEqual([wrong.Digits, wrong.CallStatus], ["9", "in-progress"]);
  await told("/voice?attempt=2", { CallSid: CallSid! });
  // No key is pressed until the menu has ended and its time-out has passed.
  await told("/voice?attempt=3", { CallSid: CallSid! });
  await call.talking.hearsSomething();
  call.talking.press(1);
  await told("/choice", { CallSid: CallSid!, Digits: "1" });
  const text = await eventually(
    "the text left",
    () => aggregator.sent.find(({ to }) => to === anna.number),
  );
  assert.deepEqual([text.from, text.body], [number, "We are open from nine to five."]);
  await call.talking.hearsSomething();
  await call.over;
  await aggregator.deliver(anna.number);
  await told("/text-status", { To: anna.number, MessageStatus: "delivered" });
  const statuses = eventsOf(logged("/text-status", { To: anna.number }), "MessageStatus");
  assert.deepEqual(statuses, ["sent", "delivered"]);
  const seen = logged(null, { CallSid: CallSid! }).map(({ event }) => event);
  assert.deepEqual(seen, [
    "/voice",
    "/choice",
    "/voice?attempt=2",
    "/voice?attempt=3",
    "/choice",
  ]);
}

/** A message is recorded, and its audio fetched: by the application, and through the library. */
async function leavesMessage({ system, logged, told, number }: Lab, ben: Telephone) {
  const call = await ben.call(number);
  const { CallSid } = await told("/voice", { From: ben.number });
  await call.talking.hearsSomething();
  call.talking.press(2);
  await told("/choice", { CallSid: CallSid!, Digits: "2" });
  const client = twilio(system.accountSid, system.authToken, { keepAlive: false });
  client.api.baseUrl = system.baseUrl;
  call.talking.say(600);
  await eventually("the message is recorded for two seconds", async () => {
    const [recording] = await client.recordings.list({ callSid: CallSid! });
    if (recording === undefined) return false;
    const file = await (await fetch(recording.mediaUrl, { headers: system.headers })).bytes();
    return secondsOf(600, readRecording(file).samples) > 1.5;
  });
  call.talking.press(11); // The key #.
  const message = await told("/message", { CallSid: CallSid! });
  assert.equal(message.Digits, "#");
  await call.talking.hearsSomething();
  await call.over;
  const recorded = await told("/recording", { CallSid: CallSid! });
  assert.equal(recorded.RecordingSid, message.RecordingSid);
  assert.deepEqual(
    [recorded.RecordingStatus, recorded.RecordingChannels, recorded.RecordingSource],
    ["completed", "1", "RecordVerb"],
  );
  const audio = await told("audio", { RecordingSid: recorded.RecordingSid! });
  assert.deepEqual([audio.status, audio.type], [200, "audio/mpeg"]);
  const recording = await client.recordings(recorded.RecordingSid!).fetch();
  const { samples, channels } = readRecording(
    await (await fetch(recording.mediaUrl, { headers: system.headers })).bytes(),
  );
  const seconds = samples.length / 8_000;
  assert.equal(channels, 1);
  assert.ok(secondsOf(600, samples) > 1.5, `${secondsOf(600, samples)} s of ${seconds} s`);
  for (const duration of [recorded.RecordingDuration, recording.duration]) {
    assert.ok(Math.abs(Number(duration) - seconds) <= 1, `${duration} s, not ${seconds} s`);
  }
  assert.ok(await recording.remove());
  assert.equal(logged("/recording", { CallSid: CallSid! }).length, 1);
}

/** The caller waits, the agent is called, holds the caller by a text, and drops the caller. */
async function confers({ agent, path, logged, told, number }: Lab, cora: Telephone) {
  const call = await cora.call(number);
  const { CallSid } = await told("/voice", { From: cora.number });
  await call.talking.hearsSomething();
  call.talking.press(3);
  const ringing = await agent.rung();
  assert.equal(ringing.from, number);
  const { ConferenceSid } = await told("/conference", { CallSid: CallSid! });
  const answered = await ringing.answer();
  call.talking.say(500);
  answered.talking.say(900);
  await call.talking.hears(900);
  await answered.talking.hears(500);

  const order = async (body: string) => {
    await agent.text(body);
    await agent.reply(`Done: ${body}`);
  };
  await order("Hold");
  await told("/hold", { CallSid: CallSid! });
  await answered.talking.hearsNothing();
  await order("Resume");
  await answered.talking.hears(500);
  await call.talking.hears(900);
  await order("Drop");
  await Promise.all([call.over, answered.over]);
  await told("/conference", {
    StatusCallbackEvent: "conference-end",
    ConferenceSid: ConferenceSid!,
  });

  const events = logged("/conference", { ConferenceSid: ConferenceSid! });
  assert.deepEqual(new Set(eventsOf(events, "ApiVersion")), new Set([path.apiVersion]));
  assert.deepEqual(
    events.map(({ StatusCallbackEvent, ParticipantLabel }) =>
      [StatusCallbackEvent, ...ParticipantLabel ? [ParticipantLabel] : []].join(" ")
    ),
    [
      "participant-join caller",
      "participant-join agent",
      "conference-start",
      "participant-hold caller",
      "participant-unhold caller",
      "participant-leave caller",
      "participant-leave agent",
      "conference-end",
    ],
  );
  const agentCall = await told("/call-status", { To: agent.address, CallStatus: "completed" });
  assert.deepEqual(eventsOf(logged("/call-status", { To: agent.address }), "CallStatus"), [
    "initiated",
    "ringing",
    "in-progress",
    "completed",
  ]);
  assert.deepEqual([agentCall.From, agentCall.Direction], [number, "outbound-api"]);
}

/** A customer who texts is called back, and hangs up at the menu; another one is busy. */
async function isCalledBack(lab: Lab, dora: Telephone, emil: Telephone) {
  const { logged, told, number, aggregator } = lab;
  for (const { number: from } of [dora, emil]) {
    await aggregator.text({ from, to: number, body: "Call me" });
  }
  (await emil.rung()).refuse(486);
  const ringing = await dora.rung();
  assert.equal(ringing.from, number);
  const call = await ringing.answer();
  const { CallSid } = await told("/voice", { To: dora.number });
  await call.talking.hearsSomething();
  await call.hangUp();
  const busy = await told("/call-status", { To: emil.number, CallStatus: "busy" });
  assert.equal(busy.CallDuration, "0");
  const ended = await told("/call-status", { To: dora.number, CallStatus: "completed" });
  assert.ok(Number(ended.CallDuration) < 30, ended.CallDuration);
  for (
    const [to, statuses] of [
      [dora.number, ["initiated", "ringing", "in-progress", "completed"]],
      [emil.number, ["initiated", "ringing", "busy"]],
    ] as const
  ) {
    const all = logged("/call-status", { To: to });
    assert.deepEqual(eventsOf(all, "CallStatus"), statuses);
    assert.deepEqual(eventsOf(all, "SequenceNumber"), statuses.map((_, i) => String(i)));
  }
  assert.equal(ended.CallSid, CallSid);

  await aggregator.text({ from: dora.number, to: number, body: "Hello" });
  const reply = await eventually(
    "a reply",
    () => aggregator.sent.find(({ to, from }) => to === dora.number && from === number),
  );
  assert.equal(reply.body, "Text “Call me”, and we will.");
}

/** A call that is placed at the contract, to the markup of the application. */
async function isPlaced({ system, appUrl, number, told }: Lab, fred: Telephone) {
  const form = { From: number, To: fred.number, Url: `${appUrl}/voice` };
  const { sid } = await system.post("Calls.json", form);
  const call = await (await fred.rung()).answer();
  const asked = await told("/voice", { CallSid: sid });
  assert.deepEqual([asked.ApiVersion, asked.Direction], ["2012-04-24", "outbound-api"]);
  await call.talking.hearsSomething();
  call.talking.press(8);
  await told("/choice", { CallSid: sid, Digits: "8" });
  await call.hangUp();
  await eventually(
    "it is completed",
    async () => (await system.get(`Calls/${sid}.json`)).status === "completed",
  );
}

Deno.test({
  ...needs("bash", "curl", "jq"),
  name: "an application for Twilio works on numbers and calls of both interfaces",
  timeout: 240_000,
  async fn(t) {
    const [sipPort] = freePorts(1) as [number];
    await using network = await openTelephoneNetwork(sipPort);
    await using aggregator = startAggregator();
    const env = {
      RTP_PORTS: "0",
      SIP_UDP_PORT: String(sipPort),
      SIP_TRUSTED_SOURCES: "127.0.0.1",
      OUTBOUND_PROXY: network.proxy,
      SMS_URL: aggregator.url,
      ...tokens,
    };
    await using system = await startSystem({ env });
    aggregator.system = system;
    let next = 442_079_460_100;
    const telephone = () => network.telephone(`+${next++}`);

    for (const path of paths) {
      await t.step(path.name, async () => {
        aggregator.sent.length = 0;
        await using lab = await startApplication({ system, network, aggregator }, path);
        await Promise.all([
          asksForHours(lab, telephone()),
          leavesMessage(lab, telephone()),
          confers(lab, telephone()),
          isCalledBack(lab, telephone(), telephone()),
        ]);
        if (path.apiVersion === "2012-04-24") await isPlaced(lab, telephone());
        const inbound = lab.logged("/voice").filter(({ Direction }) => Direction === "inbound");
        assert.deepEqual(new Set(eventsOf(inbound, "ApiVersion")), new Set([path.apiVersion]));

        await eventually("all calls are over", async () => {
          const { calls } = await system.get("Calls.json");
          return calls.every(({ status }: { status: string }) =>
            ["completed", "busy"].includes(status)
          );
        });
        await lab.agent.text("Report");
        await lab.agent.reply(path.report);

        const forged = await fetch(`${lab.appUrl}/voice`, {
          method: "POST",
          headers: { "x-twilio-signature": "forged" },
          body: new URLSearchParams({ From: lab.agent.address }),
        });
        await forged.body?.cancel();
        assert.equal(forged.status, 403);
        assert.deepEqual(lab.logged("refused").length, 1);
        assert.deepEqual(lab.logged("failed"), []);
      });
    }
    assert.deepEqual((await system.get("Notifications.json")).notifications, []);
  },
});
