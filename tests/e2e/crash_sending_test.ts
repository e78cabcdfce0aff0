import assert from "node:assert/strict";
import { limits } from "../../core/base/limits.ts";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { type MailServer, startMailServer } from "../support/service/mail_server.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";

/** Of each kind; a message causes a webhook and the request of a document, a look-up a webhook. */
const count = 1_000;
const everything = 5 * count;
const number = "+14155550150";
const patienceMs = 300_000;

/** The operator's location source; it records the requested numbers. */
function startLocationSource() {
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    asked.push(new URL(request.url).searchParams.get("msisdn") ?? "");
    return new Response("mcc=748,mnc=01,lac=10100,cellid=20042,aol=3,vlrNumber=598");
  });
  return {
    asked,
    url: `http://127.0.0.1:${server.addr.port}/`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Posts until it is answered: an answer may be lost when the service is killed. */
async function posted(system: System, path: string, form: Record<string, string>) {
  for (;;) {
    try {
      return await system.post(path, form);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      await system.ready();
    }
  }
}

/** Sends everything, some at a time; returns the acknowledged ones. */
async function sendAll(system: System, app: AppServer) {
  const sent = { messages: [] as string[], subjects: [] as string[], lookUps: [] as string[] };
  const message = {
    From: "+15550001",
    To: number,
    Body: "hello",
    StatusCallback: `${app.url}/status`,
  };
  let next = 0;
  await Promise.all(Array.from({ length: 24 }, async () => {
    while (next < count) {
      const DeviceIdentifier = `598${String(next++).padStart(8, "0")}`;
      const lookUp = { DeviceIdentifier, StatusCallback: `${app.url}/geo` };
      const Subject = `Hi ${DeviceIdentifier}`; // An e-mail's answer has no Sid.
      const email = { From: "a@app.test", To: "b@app.test", Subject, Body: "hello" };
      const [sms, , found] = await Promise.all([
        posted(system, "SMS/Messages.json", message),
        posted(system, "Email/Messages.json", email),
        posted(system, "Geolocation/Immediate.json", lookUp),
      ]);
      sent.messages.push(sms.sid);
      sent.subjects.push(Subject);
      sent.lookUps.push(found.sid);
    }
  }));
  return sent;
}

/** All records of a list of more than one page. */
async function all(system: System, path: string, key: string) {
  const found = [];
  for (let page = 0;; page++) {
    const list = await system.get(`${path}.json?PageSize=1000&Page=${page}`);
    found.push(...list[key]);
    if (page + 1 >= list.num_pages) return found;
  }
}

/** Values of a header of all mails. */
const headersOf = ({ mails }: MailServer, name: string) =>
  mails.map(({ text }) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1]?.trim() ?? text);

const repeated = (ids: string[]) => ids.length - new Set(ids).size;

Deno.test("a service that is killed while it sends loses nothing, and repeats only work under way", async () => {
  await using app = startAppServer();
  await using mail = await startMailServer();
  await using source = startLocationSource();
  await using system = await startSystem({
    env: { SMTP_URL: mail.url, LOCATION_URL: source.url },
  });
  const form = { PhoneNumber: number, SmsUrl: `${app.url}/sms` };
  await system.post("IncomingPhoneNumbers.json", form);

  const sending = sendAll(system, app);
  const done = () => app.requests.length + mail.mails.length + source.asked.length;
  await eventually("half of it is done", () => done() >= everything / 2, patienceMs);
  assert.ok(done() < everything, "it is killed in the middle");
  const [pid] = system.pids("main.ts") as [number];
  Deno.kill(pid, "SIGKILL");
  const doneBefore = done();
  await eventually("it runs again", () => {
    const [now] = system.pids("main.ts");
    return now !== undefined && now !== pid;
  }, patienceMs);
  await system.ready();
  const sent = await sending;

  // Polling the test's own server costs the service nothing; its lists are read at the end.
  await eventually("every status callback has come", () => {
    const told = new Set(app.sent("/status").map(({ MessageSid }) => MessageSid));
    return sent.messages.every((sid) => told.has(sid));
  }, patienceMs);
  await eventually("every message is sent", async () => {
    const { total } = await system.get("SMS/Messages.json?PageSize=1");
    const messages = await all(system, "SMS/Messages", "messages");
    return total >= 2 * count && messages.every(({ status }) => status !== "sending");
  }, patienceMs);
  await eventually("every e-mail has come", () => {
    if (mail.mails.length < count) return false;
    const came = new Set(headersOf(mail, "Subject"));
    return sent.subjects.every((subject) => came.has(subject));
  }, patienceMs);
  const open = new Set(sent.lookUps);
  await eventually("every look-up has been made", async () => {
    for (const sid of open) {
      const { response_status } = await system.get(`Geolocation/Immediate/${sid}.json`);
      if (response_status !== "successful") return false;
      open.delete(sid);
    }
    return true;
  }, patienceMs);
  await eventually("every webhook is delivered", async () => {
    const { total } = await system.get("Webhooks/Deliveries.json?Status=queued&PageSize=1");
    return total === 0;
  }, patienceMs);

  const messages = await all(system, "SMS/Messages", "messages");
  const outbound = messages.filter(({ direction }) => direction === "outbound-api");
  const statusOf = new Map(outbound.map(({ sid, status }) => [sid, status]));
  assert.deepEqual(sent.messages.filter((sid) => statusOf.get(sid) !== "sent"), []);
  assert.equal(messages.length, 2 * outbound.length, "each message is received once");
  const deliveries = await all(system, "Webhooks/Deliveries", "deliveries");
  assert.deepEqual(new Set(deliveries.map(({ status }) => status)), new Set(["delivered"]));
  const isDelivery = ({ headers }: AppServer["requests"][number]) =>
    headers.get("x-switchboard-delivery")?.startsWith("WD") ?? false;
  const told = app.requests.filter(isDelivery)
    .map(({ headers }) => headers.get("x-switchboard-delivery")!);
  assert.deepEqual(new Set(told), new Set(deliveries.map(({ sid }) => sid)));
  assert.ok(deliveries.length >= 2 * count);
  const received = messages.filter(({ direction }) => direction === "inbound");
  const asked = app.requests.filter((request) => !isDelivery(request))
    .map(({ form }) => form["MessageSid"]!);
  assert.deepEqual(new Set(asked), new Set(received.map(({ sid }) => sid)));

  const twice = {
    webhooks: repeated(told),
    documents: repeated(asked),
    emails: repeated(headersOf(mail, "Message-ID")),
    lookUps: repeated(source.asked),
  };
  assert.ok(twice.webhooks <= limits.jobsPerHost, `${twice.webhooks} webhooks came twice`);
  assert.ok(twice.documents <= limits.jobsPerHost, `${twice.documents} documents came twice`);
  assert.ok(twice.emails <= limits.jobsPerLane, `${twice.emails} e-mails came twice`);
  // A POST whose answer was lost was made again, and looked up again.
  assert.ok(twice.lookUps <= limits.jobsPerLane + 24, `${twice.lookUps} look-ups came twice`);
  const sums = Object.entries(twice).map(([name, many]) => `${many} ${name}`).join(", ");
  const line = `killed after ${doneBefore} of ${everything}; repeated: ${sums}\n`;
  await Deno.stdout.write(new TextEncoder().encode(line));
});
