import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { type SipText, uriIn, valueOf, writeSip } from "../support/sip/sip_text.ts";
import { eventually } from "../support/process/eventually.ts";
import { freePorts, startSystem } from "../support/process/system.ts";
import { credentials, isProven, openTrunk, type TrunkPeer } from "../support/sip/trunk_peer.ts";

const ours = "+14155550101";

/** Grants the REGISTER that proves the password, and all that follow. */
async function keepRegistered(trunk: TrunkPeer, granted: (contact: string) => void): Promise<void> {
  for (;;) {
    const request = await trunk.request("REGISTER");
    const contact = uriIn(valueOf(request, "contact"));
    if (!isProven(request, "MD5")) trunk.challenge(request, ["MD5"], 401);
    else {
      trunk.respond(request, 200, { headers: [`Contact: <${contact}>;expires=600`] });
      granted(contact);
    }
  }
}

let calls = 0;

/** A MESSAGE to a Request-URI, which by default is also its To. */
function text(peer: TrunkPeer, uri: string, body: string, to = uri): string {
  const id = `text-${++calls}`;
  return writeSip(
    `MESSAGE ${uri} SIP/2.0`,
    [
      `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bK${id};rport`,
      `From: <sip:+15005550006@carrier.test>;tag=${id}`,
      `To: <${to}>`,
      `Call-ID: ${id}`,
      "CSeq: 1 MESSAGE",
      "Max-Forwards: 70",
      "Content-Type: text/plain",
    ],
    body,
    false,
  );
}

/** The answer to a text of this peer. */
async function answerTo(peer: TrunkPeer, sent: string): Promise<number> {
  const id = /^Call-ID: (\S+)/m.exec(sent)![1]!;
  const isAnswer = (message: SipText) =>
    message.start.startsWith("SIP/2.0") && valueOf(message, "call-id") === id;
  peer.send(sent);
  await eventually(`an answer to ${id}`, () => peer.heard.some(isAnswer));
  return Number(peer.heard.find(isAnswer)!.start.split(" ")[1]);
}

Deno.test("a registered Gateway's MESSAGE reaches its account's number, as its calls do; others' do not", async () => {
  await using app = startAppServer();
  app.pages.set("/in", "<Response></Response>");
  const [port] = freePorts(1) as [number];
  const companion = { host: "127.0.0.1", port };
  await using trunk = await openTrunk(companion);
  await using stranger = await openTrunk(companion, "127.0.0.2");
  const registered = Promise.withResolvers<string>();
  void keepRegistered(trunk, registered.resolve);
  await using system = await startSystem({ env: { SIP_UDP_PORT: String(port) } });
  await system.post("IncomingPhoneNumbers.json", { PhoneNumber: ours, SmsUrl: `${app.url}/in` });
  await system.post("Management/Gateways.json", {
    UserName: credentials.userName,
    Password: credentials.password,
    Proxy: trunk.route.proxy,
    TTL: "600",
  });
  const contact = await registered.promise;
  await eventually("the companion has heard so", async () => {
    const [gateway] = await system.get("Management/Gateways.json");
    return gateway.status === "registered";
  });
  const to = `sip:${ours}@carrier.test`;

  const guessed = `sip:gw${"0".repeat(32)}@127.0.0.1:${port}`;
  const answers = {
    taken: await answerTo(trunk, text(trunk, contact, "good day", to)),
    unknown: await answerTo(trunk, text(trunk, contact, "nobody", "sip:+14155550109@carrier.test")),
    guessed: await answerTo(trunk, text(trunk, guessed, "guessed", to)),
    direct: await answerTo(trunk, text(trunk, `sip:${ours}@localhost`, "direct")),
    elsewhere: await answerTo(stranger, text(stranger, contact, "elsewhere", to)),
  };

  assert.deepEqual([answers.taken, answers.unknown], [202, 404]);
  for (const answer of [answers.guessed, answers.direct, answers.elsewhere]) {
    assert.ok(answer === 401 || answer === 407, JSON.stringify(answers));
  }
  await eventually("SmsUrl is asked", () => app.sent("/in").length > 0);
  const asked = app.sent("/in").map(({ From, To, Body }) => [From, To, Body]);
  assert.deepEqual(asked, [["+15005550006", ours, "good day"]]);
  const { messages } = await system.get("SMS/Messages.json");
  assert.deepEqual(messages.map((one: Record<string, string>) => [one.status, one.body]), [
    ["received", "good day"],
  ]);
});
