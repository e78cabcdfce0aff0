import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { startMailServer } from "../support/service/mail_server.ts";
import {
  type Delivered,
  type MessageCenter,
  startMessageCenter,
  type Submitted,
} from "../support/service/message_center.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";

const count = 40;
const ours = "+14155550101";
const numbered = Array.from({ length: count }, (_, at) => at);
const place = "mcc=748,mnc=01,lac=7,cellid=12,aol=3,vlrNumber=5";

/** A message center that delivers a text until it is accepted, as real ones do. */
function insist(center: MessageCenter) {
  const told = async (fields: Delivered) => {
    for (;;) {
      const binds = center.binds;
      const lost = center.hasBound(binds + 1).then(() => -1);
      if (await Promise.race([center.deliver(fields), lost]) === 0) return;
    }
  };
  const all: Promise<void>[] = [];
  const ids = new Map<Submitted, string>();
  const say = (fields: Delivered) => void all.push(told(fields));
  center.answers = (pdu) => {
    const id = `r${center.submitted.length}`;
    ids.set(pdu, id);
    const [source_addr, destination_addr] = [pdu.destination_addr, pdu.source_addr];
    const short_message = `id:${id} stat:DELIVRD err:000`;
    // Often sooner than the service has committed the answer.
    queueMicrotask(() => say({ esm_class: 4, source_addr, destination_addr, short_message }));
    return 0;
  };
  center.idOf = (pdu) => ids.get(pdu)!;
  return { say, done: () => Promise.all(all) };
}

/** Senders of a text in two parts, one before the kill and one after it. */
const halved = numbered.slice(0, 10);

const half = (at: number, part: 1 | 2): Delivered => ({
  source_addr: `44207948${String(at).padStart(4, "0")}`,
  source_addr_ton: 1,
  destination_addr: ours.slice(1),
  udh: [0, 3, 77, 2, part],
  short_message: part === 1 ? `half ${at} ` : "and half",
});

/** Kills the service as soon as something has come of what it does. */
async function killInTheMiddle(system: System, center: MessageCenter): Promise<void> {
  await center.hasSubmitted(5);
  const [pid] = system.pids("main.ts") as [number];
  Deno.kill(pid, "SIGKILL");
  await eventually("the service runs again", () => {
    const [now] = system.pids("main.ts");
    return now !== undefined && now !== pid;
  });
  await system.ready();
}

const timesOver = (keys: string[]): number => keys.length - new Set(keys).size;

Deno.test("a service that is killed while it sends loses nothing, and sends little twice", async () => {
  await using app = startAppServer();
  await using mail = await startMailServer();
  await using center = await startMessageCenter();
  const carrier = insist(center);
  app.pages.set("/where", place);
  app.pages.set("/in", "<Response><Sms>thanks</Sms></Response>");
  const env = { SMPP_URL: center.url, SMTP_URL: mail.url, LOCATION_URL: `${app.url}/where` };
  await using system = await startSystem({ env });
  await system.post("IncomingPhoneNumbers.json", { PhoneNumber: ours, SmsUrl: `${app.url}/in` });
  await center.hasBound(1);

  const sent = await Promise.all(numbered.map((at) =>
    system.post("SMS/Messages.json", {
      From: ours,
      To: `+44207946${String(at).padStart(4, "0")}`,
      Body: `text ${at}`,
      StatusCallback: `${app.url}/told`,
    })
  ));
  for (const at of numbered) {
    carrier.say({
      source_addr: `44207947${String(at).padStart(4, "0")}`,
      source_addr_ton: 1,
      destination_addr: ours.slice(1),
      short_message: `question ${at}`,
    });
  }
  for (const at of halved) carrier.say(half(at, 1));
  const killed = killInTheMiddle(system, center);
  const form = { From: "me@app.test", To: "you@app.test", Body: "hello" };
  const mails = numbered.map((at) =>
    system.post("Email/Messages.json", { ...form, Subject: `mail ${at}` })
      .then(() => `mail ${at}`, () => null) // While the service was away.
  );
  const lookUps = numbered.map((at) =>
    system.post("Geolocation/Immediate.json", {
      DeviceIdentifier: `5989907${String(at).padStart(4, "0")}`,
      StatusCallback: `${app.url}/found`,
    }).then(({ sid }) => sid as string, () => null)
  );
  const taken = (await Promise.all(mails)).filter((subject) => subject !== null);
  const asked = (await Promise.all(lookUps)).filter((sid) => sid !== null);
  await killed;
  for (const at of halved) carrier.say(half(at, 2));
  await carrier.done();

  const list = async () =>
    (await system.get("SMS/Messages.json?PageSize=1000")).messages as Record<string, string>[];
  await eventually("every message is sent", async () => {
    const all = await list();
    const replies = new Set(
      all.filter(({ direction }) => direction === "outbound-call").map(({ to }) => to),
    );
    return replies.size === count + halved.length &&
      all.every(({ status }) => status !== "sending");
  });
  await carrier.done();
  const subjects = () => mail.mails.map(({ text }) => /^Subject: (.*)$/m.exec(text)![1]!.trim());
  await eventually("every e-mail arrived", () => taken.every((one) => subjects().includes(one)));
  await eventually("every look-up is told", () => {
    const told = app.sent("/found").map(({ GeolocationSid }) => GeolocationSid);
    return asked.every((sid) => told.includes(sid));
  });
  await eventually("every status callback came", () => {
    const told = app.sent("/told").map(({ MessageSid }) => MessageSid);
    return sent.every(({ sid }) => told.includes(sid));
  });

  const all = await list();
  assert.deepEqual(all.filter(({ status }) => status === "failed"), []);
  const received = all.filter(({ status }) => status === "received").map(({ body }) => body!);
  assert.equal(new Set(received).size, count + halved.length);
  const joined = received.filter((body) => body.startsWith("half")).toSorted();
  assert.deepEqual(joined, halved.map((at) => `half ${at} and half`).toSorted());
  const texts = center.submitted.map(({ destination_addr, text }) => `${destination_addr} ${text}`);
  const twice = {
    // A text that was submitted twice has two answers.
    texts: timesOver(texts) - timesOver(received),
    questions: timesOver(received),
    mails: timesOver(subjects()),
    lookUps: timesOver(app.sent("/found").map(({ GeolocationSid }) => GeolocationSid!)),
  };
  // At most the work under way at the kill: jobs of a lane, requests of a window. The center, which
  // sends texts without waiting for answers, has all of its own under way.
  const { questions, ...others } = twice;
  assert.ok(questions <= count, JSON.stringify(twice));
  for (const times of Object.values(others)) assert.ok(times <= 32, JSON.stringify(twice));
  const line = `of ${count} each, sent twice after a kill: ${JSON.stringify(twice)}\n`;
  Deno.stdout.writeSync(new TextEncoder().encode(line));
});
