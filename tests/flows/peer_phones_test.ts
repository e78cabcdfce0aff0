import assert from "node:assert/strict";
import type { Companion } from "../../sip/companion.ts";
import { startCompanions } from "../support/service/companions_lab.ts";
import { made, xml } from "../support/service/hand_companion.ts";
import { fakeMedia } from "../support/media/fake_media.ts";
import { testDomain } from "../support/sip/fake_service.ts";
import { runSipp, sippTest } from "../support/sip/sipp.ts";
import { answering, registering, ringingOn } from "../support/sip/sipp_scenarios.ts";
import { phoneSdp } from "../support/sip/softphone_incoming.ts";
import { freePorts } from "../support/process/system.ts";

const bob = { login: "bob", domain: testDomain };
const once = ["-m", "1", "-timeout", "15"];

/** Alice at one companion, sipp as a plain phone of Bob's at the other. */
async function startTwo() {
  const media = fakeMedia();
  const transports = { ports: { UDP: 0 } };
  const lab = await startCompanions(["one", "two"], { only: { two: { media, transports } } });
  const [one, two] = lab.companions as [Companion, Companion];
  for (const login of ["alice", "bob"]) await lab.client(login);
  const known = lab.app.ports.companions;
  await lab.until(async () => (await known.list()).every(({ sipUri }) => sipUri !== undefined));
  const alice = await lab.phone("alice", one);
  const address = two.sipAddresses.get("UDP")!;
  const [port] = freePorts(1) as [number];
  const sipp = (scenario: string, ...options: string[]) =>
    runSipp(scenario, address, "-p", `${port}`, ...once, ...options);
  assert.equal(await sipp(registering(bob), "-auth_uri", testDomain), 0);
  await lab.until(async () => (await known.holding("bob", await known.list())).length > 0);
  return { lab, two, media, alice, sipp };
}

sippTest("a plain phone at another companion is called with media of that one", async () => {
  const { lab, media, alice, sipp } = await startTwo();
  await using _lab = lab;

  const phone = sipp(answering());
  const call = await alice.call("bob").answered;
  await call.request("INFO");
  const [ofBob, ofAlice] = media.legs;
  assert.equal(ofBob?.joined, ofAlice);
  await call.bye();

  assert.equal(await phone, 0);
  assert.equal(media.legs.length, 2);
  assert.deepEqual([ofBob?.kind, ofAlice?.kind], ["rtp", undefined]);
  assert.match(ofBob?.remoteSdp ?? "", /RTP\/AVP 0/);
  assert.equal(ofAlice?.remoteSdp, phoneSdp);
  assert.equal(call.remoteSdp, ofAlice?.localSdp);
});

sippTest("a plain phone and a browser at another companion ring, each with its media", async () => {
  const { lab, two, media, alice, sipp } = await startTwo();
  await using _lab = lab;
  const browser = await lab.phone("bob", two);

  const phone = sipp(ringingOn());
  const calling = alice.call("bob");
  const ringing = await browser.nextCall();
  await calling.ringing;
  const callee = await ringing.answer();
  const call = await calling.answered;
  await call.bye();
  await callee.ended;

  assert.equal(await phone, 0);
  assert.equal(ringing.invite.body, phoneSdp);
  assert.equal(call.remoteSdp, phoneSdp);
  assert.deepEqual(media.legs.map(({ kind, closed }) => [kind, closed]), [["rtp", true]]);
});

sippTest("a caller that gives up ends the ringing of both at another companion", async () => {
  const { lab, two, media, alice, sipp } = await startTwo();
  await using _lab = lab;
  const browser = await lab.phone("bob", two);

  const phone = sipp(ringingOn());
  const calling = alice.call("bob");
  const ringing = await browser.nextCall();
  // The plain phone first: its ringing is not passed on to a caller that hears another one's.
  await calling.nextProvisional();
  ringing.ring();
  await calling.nextProvisional();
  await calling.cancel();
  await ringing.cancelled;

  assert.equal((await calling.final).status, 487);
  assert.equal(await phone, 0);
  assert.deepEqual(media.legs.map(({ kind, closed }) => [kind, closed]), [["rtp", true]]);
});

sippTest(
  "a browser that declines for all ends the ringing of a plain phone beside it",
  async () => {
    const { lab, two, media, alice, sipp } = await startTwo();
    await using _lab = lab;
    const browser = await lab.phone("bob", two);

    const phone = sipp(ringingOn());
    const calling = alice.call("bob");
    const ringing = await browser.nextCall();
    await calling.nextProvisional();
    ringing.decline(603);

    assert.equal((await calling.final).status, 603);
    assert.equal(await phone, 0);
    assert.deepEqual(media.legs.map(({ kind, closed }) => [kind, closed]), [["rtp", true]]);
  },
);

Deno.test({
  name: "OPTIONS of a companion whose audio passes by another is answered by the phone",
  timeout: 60_000,
  async fn() {
    const media = fakeMedia();
    await using lab = await startCompanions(["one", "two"], { only: { one: { media } } });
    const [one, two] = lab.companions as [Companion, Companion];
    for (const login of ["alice", "bob"]) await lab.client(login);
    const known = lab.app.ports.companions;
    await lab.until(async () => (await known.list()).every(({ sipUri }) => sipUri !== undefined));
    await made(lab.app.root, "IncomingPhoneNumbers", {
      PhoneNumber: "+14155550101",
      VoiceUrl: "https://app.test/voice",
    });
    const alice = await lab.phone("alice", one);
    const bob = await lab.phone("bob", two);
    lab.app.answers = () => xml('<Dial record="true"><Client>bob</Client></Dial>');
    const calling = alice.call("+14155550101");
    const callee = await (await bob.nextCall()).answer();
    const call = await calling.answered;
    const ofBob = media.legs.find(({ kind }) => kind !== undefined)!;

    ofBob.beQuiet(25_000);
    await callee.next("OPTIONS");
    await callee.request("OPTIONS"); // Answered after what was sent before it.
    callee.onRequest = ({ method }) => method === "OPTIONS" ? { status: 481 } : undefined;
    ofBob.beQuiet(50_000);
    await callee.next("OPTIONS");
    await callee.request("OPTIONS");
    ofBob.beQuiet(55_000);

    await Promise.all([callee.ended, call.ended]);
  },
});
