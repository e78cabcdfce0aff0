import assert from "node:assert/strict";
import { openVoice } from "../support/media/voice.ts";
import { eventually } from "../support/process/eventually.ts";
import { freePorts, startSystem } from "../support/process/system.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { startMailServer } from "../support/service/mail_server.ts";
import { startMessageCenter } from "../support/service/message_center.ts";
import {
  openPageCommands,
  pageSettings,
  servePageMarkup,
} from "../support/service/page_commands.ts";
import { kamailioTest, startCarrier } from "../support/sip/kamailio.ts";
import { isSound, portOf } from "../support/sip/plain_peer.ts";
import { peerRequest } from "../support/sip/sip_peer.ts";
import {
  readSip,
  type SipText,
  uriIn,
  valueOf,
  valuesOf,
  writeSip,
} from "../support/sip/sip_text.ts";
import { openTrunk, type TrunkPeer } from "../support/sip/trunk_peer.ts";
import { ussdCallee, ussdCaller, ussdInvite, ussdXml } from "../support/sip/ussd_peer.ts";
import { needs } from "../support/process/programs.ts";

const timeout = 240_000;
const number = "+14155550123";

/** The next final response to a request of the peer. */
async function finalOf(peer: TrunkPeer): Promise<SipText> {
  for (;;) {
    const message = await peer.next();
    if ((message.status ?? 0) >= 200) return message;
  }
}

/** Confirms an answer by way of the proxies that it came by (RFC 3261 §12.1.2). */
const acknowledge = (peer: TrunkPeer, invite: SipText, answer: SipText) =>
  peer.send(writeSip(`ACK ${uriIn(valueOf(answer, "contact"))} SIP/2.0`, [
    `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bK${crypto.randomUUID()};rport`,
    ...valuesOf(answer, "record-route").toReversed().map((route) => `Route: ${route}`),
    `From: ${valueOf(invite, "from")}`,
    `To: ${valueOf(answer, "to")}`,
    `Call-ID: ${valueOf(invite, "call-id")}`,
    "CSeq: 1 ACK",
    "Max-Forwards: 70",
  ]));

kamailioTest(
  "the commands of docs/tutorials/first-trunk.md register a Gateway at Kamailio and call both ways, as they stand there",
  async () => {
    const page = "docs/tutorials/first-trunk.md";
    const [proxy, sipPort] = freePorts(2) as [number, number];
    await using network = await openTrunk({ host: "127.0.0.1", port: proxy });
    await using _carrier = await startCarrier({
      port: proxy,
      carrierPort: network.port,
      algorithm: "MD5",
    });
    await using system = await startSystem({
      env: {
        ALLOW_PRIVATE_URLS: "false",
        ...await pageSettings(page),
        SIP_UDP_PORT: String(sipPort),
        PUBLIC_IP: "127.0.0.1",
      },
    });
    const given = { PROXY: `127.0.0.1:${proxy}`, PASSWORD: "pass" };
    await using commands = await openPageCommands(page, { system, given });

    await commands.next();
    await commands.next();
    await eventually("the Gateway is registered", async () => {
      const [gateway] = await system.get("Management/Gateways.json");
      return gateway.status === "registered";
    });
    const gateway = JSON.parse(await commands.next());
    await commands.next();

    const calling = await openVoice();
    const inviteText = peerRequest("INVITE", "UDP", network.port, {
      target: `sip:${number}@127.0.0.1:${proxy}`,
      from: "<sip:+442079460000@carrier.test>;tag=far",
      sdp: calling.sdp,
    });
    network.send(inviteText);
    const answer = await finalOf(network);
    acknowledge(network, readSip(inviteText), answer);
    calling.speakTo(portOf(answer.body));
    await eventually("the telephone hears the sentence", () => calling.heard.some(isSound));
    network.respond(await network.request("BYE"), 200);
    await calling.close();

    await commands.next();
    const called = await openVoice();
    const call = await network.request("INVITE");
    network.respond(call, 200, {
      headers: [
        ...valuesOf(call, "record-route").map((route) => `Record-Route: ${route}`),
        `Contact: <sip:far@127.0.0.1:${network.port}>`,
      ],
      sdp: called.sdp,
    });
    called.speakTo(portOf(call.body));
    await eventually("the called telephone hears it", () => called.heard.some(isSound));
    network.respond(await network.request("BYE"), 200);
    await called.close();
    await eventually("the call is over", async () => {
      const { calls } = await system.get("Calls.json?Status=completed");
      return calls.length === 2;
    });
    const status = await commands.next();
    commands.done();

    assert.deepEqual(gateway, { status: "registered", reason: null });
    assert.equal(answer.status, 200);
    assert.match(valueOf(call, "from"), /\+14155550123@/);
    assert.equal(status, "completed\n");
  },
);

Deno.test({
  name:
    "the commands of docs/how-to/messages.md send by SMPP and bring texts in, as they stand there",
  timeout,
  ...needs("bash", "curl", "jq"),
  async fn() {
    const page = "docs/how-to/messages.md";
    await using center = await startMessageCenter();
    await using app = startAppServer();
    const env = { ...await pageSettings(page), SMPP_URL: center.url };
    await using system = await startSystem({ env });
    await servePageMarkup(page, app);
    await using commands = await openPageCommands(page, { system, app });
    await center.hasBound(1);
    center.idOf = () => "r1";

    await commands.next();
    await center.hasSubmitted(1);
    await center.deliver({
      esm_class: 4,
      source_addr: "442079460000",
      destination_addr: number.slice(1),
      short_message: "id:r1 stat:DELIVRD err:000",
    });
    await app.asked("/sent", ({ SmsStatus }) => SmsStatus === "sent");
    const status = await commands.next();
    const later = await commands.next();
    await commands.next();
    await center.hasSubmitted(2);

    assert.equal(status, "sent\n");
    assert.equal(later, "queued\n");
    assert.equal((await app.asked("/text")).Body, "Hello");
  },
});

Deno.test({
  name:
    "the commands of docs/how-to/messages.md use an aggregator and a mail server, as they stand there",
  timeout,
  ...needs("bash", "curl", "jq"),
  async fn() {
    const page = "docs/how-to/messages.md";
    const sent: { authorization: string | null; body: Record<string, string> }[] = [];
    await using aggregator = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        const authorization = request.headers.get("authorization");
        sent.push({ authorization, body: await request.json() });
        const isFirst = sent.length === 1;
        return Response.json(isFirst ? { status: "accepted", id: "carrier-1" } : {});
      },
    );
    await using app = startAppServer();
    await using mail = await startMailServer();
    const { SMPP_URL: _, ...settings } = await pageSettings(page);
    const env = {
      ...settings,
      SMS_URL: `http://127.0.0.1:${aggregator.addr.port}/send`,
      SMTP_URL: mail.url,
    };
    await using system = await startSystem({ env });
    await servePageMarkup(page, app);
    await using commands = await openPageCommands(page, { system, app });

    await commands.next();
    await eventually("the aggregator has the text", () => sent.length === 1);
    const before = await commands.next();
    await commands.next();
    await commands.next();
    await eventually("the reply is sent", () => sent.length === 2);
    await eventually("the first one waits for its receipt", async () => {
      const { messages } = await system.get("SMS/Messages.json?Body=1234");
      return messages[0].status === "sending";
    });
    await commands.next();
    const callback = await app.asked("/sent");
    const accepted = JSON.parse(await commands.next());
    const mailed = await eventually("the e-mail is sent", () => mail.mails[0]);
    commands.done();

    assert.deepEqual([accepted.sid, accepted.status, accepted.subject], [
      undefined,
      undefined,
      "Hello",
    ]);
    assert.deepEqual(mailed.to, ["desk@example.com"]);

    assert.equal(before, "sending\n");
    assert.equal(callback.SmsStatus, "sent");
    assert.equal(sent[0]!.authorization, "Bearer a-token-for-carriers");
    assert.equal(sent[0]!.body.body, "Your code is 1234.");
    assert.deepEqual([sent[1]!.body.to, sent[1]!.body.body], [
      "+442079460000",
      "We have your message.",
    ]);
  },
});

Deno.test({
  name: "the commands of docs/how-to/ussd.md answer a code and push a menu, as they stand there",
  timeout,
  ...needs("bash", "curl", "jq"),
  async fn() {
    const page = "docs/how-to/ussd.md";
    const [port] = freePorts(1) as [number];
    await using app = startAppServer();
    await using peer = await openTrunk({ host: "127.0.0.1", port });
    const settings = await pageSettings(page);
    await using system = await startSystem({
      env: {
        ...settings,
        SIP_UDP_PORT: String(port),
        OUTBOUND_PROXY: `127.0.0.1:${peer.port}`,
        SIP_TRUSTED_SOURCES: "127.0.0.1/32",
      },
    });
    await servePageMarkup(page, app);
    await using commands = await openPageCommands(page, { system, app });

    await commands.next();
    const target = "sip:*135%23;phone-context=home.test@localhost;user=dialstring";
    const text = ussdInvite(peer, { target, body: ussdXml("*135#") });
    peer.send(text);
    const answer = await finalOf(peer);
    const subscriber = ussdCaller(peer, readSip(text), answer);
    subscriber.ack();
    const menu = await subscriber.taken("INFO");
    subscriber.info(ussdXml("1"));
    const last = await subscriber.taken("BYE");

    await commands.next();
    const pushed = await peer.request("INVITE");
    peer.answer(pushed, { sdp: "" });
    const callee = ussdCallee(peer, pushed);
    callee.info(ussdXml("2"));
    await callee.taken("BYE");
    const { CallStatus } = await app.asked("/pushed");
    const application = JSON.parse(await commands.next());
    commands.done();

    assert.match(menu.body, /1 Balance, 2 Top up/);
    assert.match(last.body, /Your balance is 12\.50\./);
    assert.match(pushed.body, /1 Balance, 2 Top up/);
    assert.deepEqual(app.sent("/chosen").map(({ Digits }) => Digits), ["1", "2"]);
    assert.equal(CallStatus, "completed");
    assert.equal(application.kind, "ussd");
  },
});
