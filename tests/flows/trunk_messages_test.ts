import assert from "node:assert/strict";
import { gatewayRoute } from "../../core/messages/gateway_route.ts";
import { type CompanionsLab, startCompanions } from "../support/service/companions_lab.ts";
import { made, notifications, xml } from "../support/service/hand_companion.ts";
import { sipTest } from "../support/sip/sip_lab.ts";
import { openCarrier, requestOn } from "../support/sip/stream_carrier.ts";
import { type SipText, valueOf, writeSip } from "../support/sip/sip_text.ts";
import { credentials, isProven, openTrunk, type TrunkPeer } from "../support/sip/trunk_peer.ts";

const ours = "+14155550101";
const far = "+442079460000";

/** A service whose messages to numbers elsewhere leave by Gateways, and a companion with UDP. */
async function startLab(trustedSources: string[] = []): Promise<CompanionsLab> {
  const transports = { ports: { UDP: 0, TCP: 0 } };
  const lab = await startCompanions(["one"], { transports, trustedSources });
  lab.app.ports.settings.trunks.allowPrivate = true;
  lab.app.ports.messageRoutes.push(gatewayRoute(lab.app.ports));
  lab.app.ports.settings.smsRateMicros = () => 12_500;
  return lab;
}

const gatewayAt = ({ app }: CompanionsLab, proxy: string, name = "trunk") =>
  made(app.root, "Management/Gateways", {
    UserName: credentials.userName,
    Password: credentials.password,
    FriendlyName: name,
    Proxy: proxy,
    Register: "false",
  });

/**
 * Sends a message to the far number; returns its Sid, the end of its job, and its record on
 * request.
 */
async function send({ app }: CompanionsLab, body = "grüße 😀") {
  const { sid } = await made(app.root, "SMS/Messages", { From: ours, To: far, Body: body });
  const done = app.runJobs();
  const message = async () => (await app.root.get(`SMS/Messages/${sid}.json`)).json();
  return { sid: sid as string, done, message };
}

sipTest(
  "a message leaves by a Gateway as a MESSAGE, with digest, and is sent and charged",
  async () => {
    await using lab = await startLab();
    await using trunk = await openTrunk();
    await gatewayAt(lab, trunk.route.proxy);

    const sent = await send(lab);
    const first = await trunk.request("MESSAGE");
    trunk.challenge(first, ["MD5"]);
    const second = await trunk.request("MESSAGE");
    trunk.respond(second, 202);
    await sent.done;

    assert.equal(second.start, `MESSAGE sip:${far}@127.0.0.1:${trunk.port} SIP/2.0`);
    assert.match(valueOf(second, "from"), /^<sip:\+14155550101@sip\.test>;tag=/);
    assert.equal(valueOf(second, "call-id"), sent.sid);
    assert.equal(second.body, "grüße 😀");
    assert.equal(isProven(second, "MD5"), true);
    const { status, price, date_sent } = await sent.message();
    assert.deepEqual([status, price], ["sent", "0.0125"]);
    assert.ok(date_sent);
    const usage = (await lab.app.root.get("Usage/Records.json")).text;
    const [, sms] = /(\{[^{}]*"category":"sms"[^{}]*\})/.exec(usage) ?? [];
    const { count, price: total } = JSON.parse(sms!);
    assert.deepEqual([Number(count), total], [1, "0.0125"]);
  },
);

sipTest(
  "the next Gateway is tried when one is out of reach or has a failure of its own",
  async () => {
    await using lab = await startLab();
    await using first = await openTrunk();
    await using second = await openTrunk();
    await gatewayAt(lab, "sip:127.0.0.1:9;transport=tcp", "dead"); // An unused port.
    await gatewayAt(lab, first.route.proxy, "first");
    await gatewayAt(lab, second.route.proxy, "second");

    const sent = await send(lab);
    first.respond(await first.request("MESSAGE"), 503);
    second.respond(await second.request("MESSAGE"), 200);
    await sent.done;

    assert.equal((await sent.message()).status, "sent");
  },
);

sipTest("a Gateway that does not answer holds no message while another takes it", async () => {
  await using lab = await startLab();
  await using silent = await openTrunk();
  await using good = await openTrunk();
  await gatewayAt(lab, good.route.proxy, "good");
  await gatewayAt(lab, silent.route.proxy, "silent"); // The newest is tried first.
  const statuses: string[] = [];

  const first = await send(lab, "one");
  await silent.request("OPTIONS");
  good.respond(await good.request("OPTIONS"), 405);
  good.respond(await good.request("MESSAGE"), 200);
  await first.done;
  statuses.push((await first.message()).status);
  const second = await send(lab, "two");
  good.respond(await good.request("MESSAGE"), 200);
  await second.done;
  statuses.push((await second.message()).status);

  assert.deepEqual(statuses, ["sent", "sent"]);
  const heard = new Set(silent.heard.map(({ method }) => method));
  assert.deepEqual([...heard], ["OPTIONS"], "nothing was handed over to it");
});

sipTest("a Gateway that refuses a message for good fails it, with a Notification", async () => {
  await using lab = await startLab();
  await using trunk = await openTrunk();
  await gatewayAt(lab, trunk.route.proxy);

  const sent = await send(lab);
  trunk.respond(await trunk.request("MESSAGE"), 415);
  await sent.done;

  const { status, price } = await sent.message();
  assert.deepEqual([status, price], ["failed", null]);
  assert.match((await notifications(lab.app))[0]!, /refused it: SM\w+: the Gateway answered 415/);
});

sipTest("a Gateway that is busy is tried again", async () => {
  await using lab = await startLab();
  await using trunk = await openTrunk();
  await gatewayAt(lab, trunk.route.proxy);

  const sent = await send(lab);
  trunk.respond(await trunk.request("MESSAGE"), 480);
  await sent.done;
  assert.equal((await sent.message()).status, "sending");
  lab.app.clock.now += 5_000;
  const again = lab.app.runJobs();
  trunk.respond(await trunk.request("MESSAGE"), 200);
  await again;

  assert.equal((await sent.message()).status, "sent");
});

/** A MESSAGE of a carrier to a number. */
function textOf(
  trunk: TrunkPeer,
  to: string,
  { body = "hello", type = "text/plain", id = "m1" } = {},
) {
  return writeSip(
    `MESSAGE sip:${to}@sip.test SIP/2.0`,
    [
      `Via: SIP/2.0/UDP 127.0.0.1:${trunk.port};branch=z9hG4bK${crypto.randomUUID()};rport`,
      `From: <sip:0015005550006@carrier.test>;tag=${id}`,
      `To: <sip:${to}@sip.test>`,
      `Call-ID: ${id}`,
      "CSeq: 1 MESSAGE",
      "Max-Forwards: 70",
      "X-Campaign: 7",
      `Content-Type: ${type}`,
    ],
    body,
    false,
  );
}

async function exchange(trunk: TrunkPeer, text: string): Promise<SipText> {
  trunk.send(text);
  return await trunk.next();
}

const received = async ({ app }: CompanionsLab) =>
  (await app.root.get("SMS/Messages.json")).json().messages.filter((
    { status }: { status: string },
  ) => status === "received");

sipTest("a MESSAGE of a trusted source reaches its number and SmsUrl once", async () => {
  await using lab = await startLab(["127.0.0.1"]);
  await using trunk = await openTrunk(lab.companions[0]!.sipAddresses.get("UDP"));
  await made(lab.app.root, "IncomingPhoneNumbers", {
    PhoneNumber: ours,
    SmsUrl: "https://app.test/in",
  });
  lab.app.answers = () => xml("");

  const first = await exchange(trunk, textOf(trunk, ours));
  const again = await exchange(trunk, textOf(trunk, ours)); // Another transaction, the same message.
  await lab.app.runJobs();

  assert.match(first.start, / 202 /);
  assert.match(again.start, / 202 /);
  const [message, ...others] = await received(lab);
  assert.deepEqual([message.from, message.to, message.body], ["+15005550006", ours, "hello"]);
  assert.deepEqual([message.direction, others.length], ["inbound", 0]);
  assert.equal(lab.app.fetched.length, 1);
  const form = new URLSearchParams(await lab.app.fetched[0]!.text());
  assert.deepEqual([form.get("SipHeader_X-Campaign"), form.get("Body")], ["7", "hello"]);
});

sipTest("a long MESSAGE of a trunk becomes one Message", async () => {
  await using lab = await startLab(["127.0.0.1"]);
  await using trunk = await openTrunk(lab.companions[0]!.sipAddresses.get("UDP"));
  await made(lab.app.root, "IncomingPhoneNumbers", { PhoneNumber: ours });

  const answer = await exchange(trunk, textOf(trunk, ours, { body: "ab".repeat(100) }));

  assert.match(answer.start, / 202 /);
  const lengths = (await received(lab)).map(({ body }: { body: string }) => body.length);
  assert.deepEqual(lengths, [200]);
});

sipTest(
  "a MESSAGE is refused: for an unassigned number, of no text, and of an untrusted source",
  async () => {
    await using lab = await startLab(["127.0.0.1"]);
    await using trunk = await openTrunk(lab.companions[0]!.sipAddresses.get("UDP"));
    await using stranger = await openTrunk(lab.companions[0]!.sipAddresses.get("UDP"), "127.0.0.2");
    await made(lab.app.root, "IncomingPhoneNumbers", { PhoneNumber: ours });

    const nobody = await exchange(trunk, textOf(trunk, "+14155550102"));
    const image = await exchange(trunk, textOf(trunk, ours, { type: "image/png", id: "m2" }));
    const strange = await exchange(stranger, textOf(stranger, ours, { id: "m3" }));

    assert.match(nobody.start, / 404 /);
    assert.match(image.start, / 415 /);
    assert.match(strange.start, / 40[17] /);
    assert.deepEqual(await received(lab), []);
  },
);

/** Has the jobs run that are due so much later. */
function runLater({ app }: CompanionsLab, ms: number): Promise<unknown> {
  app.clock.now += ms;
  return app.runJobs();
}

const hasMessage = (trunk: TrunkPeer) => trunk.heard.some(({ method }) => method === "MESSAGE");

for (const status of [408, 504]) {
  sipTest(
    `a Gateway that answers ${status} alone gets a message again, until it says more`,
    async () => {
      await using lab = await startLab();
      await using first = await openTrunk();
      await using second = await openTrunk();
      await gatewayAt(lab, second.route.proxy, "second");
      await gatewayAt(lab, first.route.proxy, "first"); // The newest is tried first.

      const sent = await send(lab);
      first.respond(await first.request("OPTIONS"), 200);
      const one = await first.request("MESSAGE");
      first.respond(one, status);
      await sent.done;
      const again = runLater(lab, 2_000);
      const two = await first.request("MESSAGE");
      // Response of this attempt: the outcome of the former one is still open.
      first.respond(two, 503);
      await again;
      const last = runLater(lab, 5_000);
      first.respond(await first.request("MESSAGE"), 202);
      await last;

      assert.equal(valueOf(one, "call-id"), valueOf(two, "call-id"));
      assert.equal((await sent.message()).status, "sent");
      assert.equal(hasMessage(second), false);
    },
  );
}

sipTest(
  "a message that a Gateway was sent by TCP before it went down is sent by no other",
  async () => {
    await using lab = await startLab();
    await using good = await openTrunk();
    await using silent = await openCarrier({ companion: lab.companions[0]! }, "TCP");
    await gatewayAt(lab, good.route.proxy, "good");
    await gatewayAt(lab, silent.route.proxy, "silent");

    const sent = await send(lab);
    const peer = await silent.accepted();
    silent.respond(peer, await requestOn(peer, "OPTIONS"), 200);
    await requestOn(peer, "MESSAGE");
    await sent.done; // After `messageLimits.deviceMs`.
    await silent[Symbol.asyncDispose](); // From now on the port is unused.
    for (const ms of [2_000, 5_000]) await runLater(lab, ms);

    assert.equal((await sent.message()).status, "sending");
    assert.equal(hasMessage(good), false);
  },
);

sipTest(
  "a Gateway whose connection is refused has surely no message: the next one gets it",
  async () => {
    await using lab = await startLab();
    await using good = await openTrunk();
    await gatewayAt(lab, good.route.proxy, "good");
    await gatewayAt(lab, "sip:127.0.0.1:9;transport=tcp", "dead");

    const sent = await send(lab);
    good.respond(await good.request("OPTIONS"), 200);
    good.respond(await good.request("MESSAGE"), 200);
    await sent.done;

    assert.equal((await sent.message()).status, "sent");
  },
);
