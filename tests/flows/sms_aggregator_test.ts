import assert from "node:assert/strict";
import { smsAggregator } from "../../core/machine/adapters/sms_aggregator.ts";
import { limits } from "../../core/base/limits.ts";
import { smsCarrier } from "../../routes/sms_carrier.ts";
import { type App, startApp } from "../support/service/app.ts";
import { made, notifications, xml } from "../support/service/hand_companion.ts";

const ours = "+14155550101";
const far = "+442079460000";
const token = "an inbound token of the aggregator";

/** The service, and an aggregator that answers as a test orders. */
async function startLab(answer: () => Response = () => new Response()) {
  const asked: { authorization: string | null; type: string | null; content: unknown }[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { headers } = request;
    const [authorization, type] = [headers.get("authorization"), headers.get("content-type")];
    asked.push({ authorization, type, content: await request.json() });
    return lab.answer();
  });
  const app = await startApp({ mounts: (ports) => ({ sms: smsCarrier(ports, token) }) });
  const url = `http://127.0.0.1:${server.addr.port}/messages`;
  app.ports.messageRoutes.push(smsAggregator({ url, token: "out" }));
  app.ports.settings.smsRateMicros = () => 5_000;
  const lab = {
    app,
    asked,
    answer,
    /**
     * Sends a request of the aggregator to the service; returns status and body of the response.
     */
    async tell(what: "messages" | "receipts", content: unknown, bearer = token) {
      const body = typeof content === "string" ? content : JSON.stringify(content);
      const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
      const response = await app.http.request(`/sms/${what}`, { method: "POST", headers, body });
      return [response.status, await response.text()] as const;
    },
    stop: () => server.shutdown(),
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      app[Symbol.dispose]();
    },
  };
  return lab;
}

async function send(app: App) {
  const form = { From: ours, To: far, Body: "hello" };
  const { sid } = await made(app.root, "SMS/Messages", form);
  await app.runJobs();
  const message = async () => (await app.root.get(`SMS/Messages/${sid}.json`)).json();
  return { sid: sid as string, message };
}

const accepted = (content: object) => () => Response.json(content, { status: 202 });

Deno.test("a message leaves by the aggregator as JSON, and is sent when it was taken", async () => {
  await using lab = await startLab();
  lab.app.ports.settings.currency = "EUR";

  const { sid, message } = await send(lab.app);

  assert.deepEqual(lab.asked, [{
    authorization: "Bearer out",
    type: "application/json",
    content: { id: sid, from: ours, to: far, body: "hello", account_sid: lab.app.root.sid },
  }]);
  const { status, price, price_unit } = await message();
  assert.deepEqual([status, price, price_unit], ["sent", "0.005", "EUR"]);
});

const receipts: [status: "sent" | "failed", reason?: string][] = [["sent"], ["failed", "no such"]];
for (const [status, reason] of receipts) {
  Deno.test(`a message that the aggregator accepted is ${status} by its receipt`, async () => {
    await using lab = await startLab(accepted({ status: "accepted", id: 77 }));

    const { message } = await send(lab.app);
    assert.equal((await message()).status, "sending");
    const first = await lab.tell("receipts", { id: "77", status, reason });
    const again = await lab.tell("receipts", { id: "77", status, reason });

    assert.deepEqual([first[0], again[0]], [200, 404]);
    assert.equal((await message()).status, status);
    const notices = await notifications(lab.app);
    assert.equal(notices.length, status === "sent" ? 0 : 1);
    if (status === "failed") assert.match(notices[0]!, /the carrier reports no such/);
  });
}

Deno.test("an aggregator that accepts without an id names messages by ours", async () => {
  await using lab = await startLab(accepted({ status: "accepted" }));

  const { sid, message } = await send(lab.app);
  await lab.tell("receipts", { id: sid, status: "sent" });

  assert.equal((await message()).status, "sent");
});

Deno.test("an aggregator that refuses a message fails it; the Notification has its reason", async () => {
  await using lab = await startLab(() => new Response("unknown number", { status: 422 }));

  const { message } = await send(lab.app);

  assert.equal((await message()).status, "failed");
  assert.equal(lab.asked.length, 1);
  assert.match((await notifications(lab.app))[0]!, /the aggregator answered 422: unknown number/);
});

for (const status of [429, 500, 503]) {
  Deno.test(`an aggregator that answers ${status} is tried again with the same id`, async () => {
    await using lab = await startLab(() => new Response("", { status }));

    const { sid, message } = await send(lab.app);
    assert.equal((await message()).status, "sending");
    lab.answer = () => new Response();
    lab.app.clock.now += 5_000;
    await lab.app.runJobs();

    assert.equal((await message()).status, "sent");
    assert.deepEqual(lab.asked.map(({ content }) => (content as { id: string }).id), [sid, sid]);
  });
}

Deno.test("an unreachable aggregator is tried again, then the message fails", async () => {
  await using lab = await startLab();
  await lab.stop();

  const { message } = await send(lab.app);
  for (let attempt = 1; attempt < limits.messageAttempts; attempt++) {
    lab.app.clock.now += 600_000;
    await lab.app.runJobs();
  }

  assert.equal((await message()).status, "failed");
  const notices = await notifications(lab.app);
  assert.equal(notices.length, 1);
  assert.match(notices[0]!, /the aggregator is out of reach/);
});

Deno.test("a message that the aggregator brings is received once, and SmsUrl requested", async () => {
  await using lab = await startLab();
  const form = { PhoneNumber: ours, SmsUrl: "https://app.test/in" };
  await made(lab.app.root, "IncomingPhoneNumbers", form);
  lab.app.answers = () => xml("");
  const arriving = { id: "a-1", from: far, to: ours, body: "good day" };

  const tell = async (wanted = {}) => (await lab.tell("messages", { ...arriving, ...wanted }))[0];
  const statuses = await Promise.all([tell(), tell(), tell({ id: "a-2", from: "BANK" })]);
  statuses.push(await tell());
  await lab.app.runJobs();

  assert.deepEqual(statuses, [200, 200, 200, 200]);
  const { messages: all } = (await lab.app.root.get("SMS/Messages.json")).json();
  assert.deepEqual(all.map((one: Record<string, string>) => [one.from, one.status]).toSorted(), [
    [far, "received"],
    ["BANK", "received"],
  ]);
  assert.equal(lab.app.fetched.length, 2);
});

Deno.test("/sms names the wrong field of a request", async () => {
  await using lab = await startLab();
  await made(lab.app.root, "IncomingPhoneNumbers", { PhoneNumber: ours });
  const good = { id: "1", from: far, to: ours, body: "x" };

  const answers = [
    await lab.tell("messages", good, "wrong"),
    await lab.tell("messages", "{"),
    await lab.tell("messages", { ...good, body: "" }),
    await lab.tell("messages", { ...good, body: "x".repeat(1_601) }),
    await lab.tell("messages", { ...good, to: "+14155550109" }),
    await lab.tell("messages", "x".repeat(20_000)),
    await lab.tell("receipts", { id: "1", status: "maybe" }),
  ];

  assert.deepEqual(answers.map(([status]) => status), [401, 400, 400, 400, 404, 413, 400]);
  assert.match(answers[2]![1], /body/);
  assert.match(answers[6]![1], /status/);
  assert.deepEqual((await lab.app.root.get("SMS/Messages.json")).json().messages, []);
});
