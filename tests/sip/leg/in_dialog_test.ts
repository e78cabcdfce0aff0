import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { digitOf } from "../../../sip/base/info.ts";
import { invite, type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { valueOf } from "../../support/sip/sip_text.ts";

const dial = (media: "anchored" | "proxied", more: { hangupOnStar?: boolean } = {}): Script => [
  { type: "dial", legs: [invite("bob")], media, timeoutS: 30, timeLimitS: 60, ...more },
];
const sdp = (name: string) => `v=0\r\no=${name} 1 1 IN IP4 127.0.0.1\r\ns=-\r\n`;
const dtmfRelay = { type: "application/dtmf-relay", content: "Signal=5\r\nDuration=160\r\n" };

/** Alice and Bob in a call. */
async function talking(lab: SipLab, script: Script) {
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  lab.service.answer = ({ event }) => event.type === "incoming" ? script : [];
  const call = alice.call("bob", { sdp: sdp("alice") });
  const callee = await (await bob.nextCall()).answer(sdp("bob"));
  return { caller: await call.answered, callee };
}

sipTest("answerOffer() relays hold and resume, by re-INVITE and by UPDATE", async () => {
  await using lab = await startSipLab();
  const { caller, callee } = await talking(lab, dial("proxied"));
  callee.onReinvite = (offer) => `${offer}a=answered\r\n`;

  const held = await caller.request("INVITE", { sdp: `${sdp("alice")}a=sendonly\r\n` });
  const resumed = await caller.request("UPDATE", { sdp: `${sdp("alice")}a=sendrecv\r\n` });

  assert.equal(held.body, `${sdp("alice")}a=sendonly\r\na=answered\r\n`);
  assert.equal(resumed.body, `${sdp("alice")}a=sendrecv\r\na=answered\r\n`);
});

sipTest("answerOffer() passes a refusal and a glare back, and the call goes on", async () => {
  await using lab = await startSipLab();
  const { caller, callee } = await talking(lab, dial("proxied"));
  const offer = { sdp: `${sdp("alice")}a=inactive\r\n` };
  const statuses: (number | undefined)[] = [];

  for (const status of [488, 491, 603, 302]) {
    callee.onRequest = ({ method }) => method === "INVITE" ? { status } : undefined;
    statuses.push((await caller.request("INVITE", offer)).status);
  }
  callee.onRequest = () => undefined;
  statuses.push((await caller.request("INVITE", offer)).status);

  assert.deepEqual(statuses, [488, 491, 603, 500, 200]);
  assert.equal((await caller.bye()).status, 200);
  assert.equal((await callee.ended).method, "BYE");
});

sipTest("answerOffer() answers 491 to both sides that offer at the same time", async () => {
  await using lab = await startSipLab();
  const { caller, callee } = await talking(lab, dial("proxied"));
  const crossed = Promise.withResolvers<number | undefined>();
  callee.onRequest = ({ method }) => {
    if (method !== "INVITE") return undefined;
    // The callee has an offer of its own under way, so it refuses this one.
    void callee.request("INVITE", { sdp: sdp("bob") }).then(({ status }) =>
      crossed.resolve(status)
    );
    return { status: 491 };
  };

  const refused = await caller.request("INVITE", { sdp: sdp("alice") });

  assert.equal(refused.status, 491);
  assert.equal(await crossed.promise, 491);
  callee.onRequest = () => undefined;
  assert.equal((await caller.request("INVITE", { sdp: sdp("alice") })).status, 200);
});

sipTest(
  "answerOffer() asks the other side for an offer, and passes the answer in the ACK",
  async () => {
    await using lab = await startSipLab();
    const { caller, callee } = await talking(lab, dial("proxied"));
    callee.onReinvite = () => sdp("bob again");

    const asked = await caller.request("INVITE", { ack: sdp("alice again") });
    const empty = await callee.next("INVITE");
    const ack = await callee.next("ACK");

    assert.deepEqual([empty.body, asked.body], ["", sdp("bob again")]);
    assert.equal(ack.body, sdp("alice again"));
    assert.equal((await caller.request("UPDATE", { sdp: sdp("alice") })).status, 200);
  },
);

sipTest("sendOffer() ends a call whose other side knows nothing of it any more", async () => {
  await using lab = await startSipLab();
  const { caller, callee } = await talking(lab, dial("proxied"));
  callee.onRequest = ({ method }) => method === "INVITE" ? { status: 481 } : undefined;

  const refused = await caller.request("INVITE", { sdp: sdp("alice") });

  assert.equal(refused.status, 500);
  assert.equal((await caller.ended).method, "BYE");
});

sipTest(
  "takeInfo() gives the digit of an INFO to the call's own handler, in both bodies",
  async () => {
    await using lab = await startSipLab();
    const { caller, callee } = await talking(lab, dial("anchored", { hangupOnStar: true }));
    const plain = { type: "application/dtmf", content: "7" };

    const statuses = [
      await caller.request("INFO", { body: dtmfRelay }),
      await caller.request("INFO", { body: plain }),
      await caller.request("INFO", { body: { type: "application/dtmf", content: "seven" } }),
      await caller.request("INFO"),
    ].map(({ status }) => status);
    const foreign = await caller.request("INFO", {
      body: { type: "text/plain", content: "hello" },
    });
    assert.ok(lab.media.legs[0]?.joined);
    const star = await caller.request("INFO", {
      body: { type: "application/dtmf-relay", content: "Signal= *\r\nDuration= 100\r\n" },
    });

    assert.deepEqual(statuses, [200, 200, 400, 200]);
    assert.equal(foreign.status, 415);
    assert.equal(valueOf(foreign, "accept"), "application/dtmf-relay, application/dtmf");
    assert.equal(star.status, 200);
    assert.equal((await callee.ended).method, "BYE");
  },
);

sipTest(
  "takeInfo() relays every INFO of a proxied call, and what the other side says",
  async () => {
    await using lab = await startSipLab();
    const { caller, callee } = await talking(lab, dial("proxied"));

    const digit = await caller.request("INFO", { body: dtmfRelay });
    const taken = await callee.next("INFO");
    callee.onRequest = ({ method }) => method === "INFO" ? { status: 415 } : undefined;
    const other = await caller.request("INFO", { body: { type: "text/x-own", content: "hello" } });
    const second = await callee.next("INFO");

    assert.deepEqual([digit.status, other.status], [200, 415]);
    assert.deepEqual([valueOf(taken, "content-type"), taken.body], [
      dtmfRelay.type,
      dtmfRelay.content,
    ]);
    assert.deepEqual([valueOf(second, "content-type"), second.body], ["text/x-own", "hello"]);
  },
);

Deno.test("digitOf() reads the digits that softphones send, and no others", () => {
  const relay = (content: string) => digitOf({ contentType: "application/dtmf-relay", content });
  const plain = (content: string) =>
    digitOf({ contentType: "Application/DTMF;charset=utf-8", content });

  assert.deepEqual(["Signal=5\r\nDuration=160", "signal = #", "Duration=1\nSignal=a"].map(relay), [
    "5",
    "#",
    "A",
  ]);
  assert.deepEqual(["10", "11", " 3\r\n", "*"].map(plain), ["*", "#", "3", "*"]);
  assert.deepEqual(["Signal=12", "Signal=", "5"].map(relay), [undefined, undefined, undefined]);
  assert.equal(digitOf({ contentType: "application/sdp", content: "x" }), undefined);
});

sipTest("createReliableResponses() repeats a provisional response until its PRACK", async () => {
  await using lab = await startSipLab();
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  lab.service.answer = () => dial("proxied");

  const call = alice.call("bob", { headers: ["Require: 100rel"] });
  const ringing = await bob.nextCall();
  ringing.ring();
  const first = await call.nextProvisional();
  ringing.ring({ status: 183, sdp: sdp("early") });
  const again = await call.nextProvisional();
  const wrong = await call.early("PRACK", first, ["RAck: 1 1 INVITE"]);
  const prack = await call.early("PRACK", first, [
    `RAck: ${valueOf(first, "rseq")} ${valueOf(first, "cseq")}`,
  ]);
  const early = await call.nextProvisional();
  const callee = ringing.answer(sdp("early"));
  const isEarly = await Promise.race([call.final.then(() => true), call.nextProvisional()]);
  const second = await call.early("PRACK", early, [
    `RAck: ${valueOf(early, "rseq")} ${valueOf(early, "cseq")}`,
  ]);
  const dialog = await call.answered;

  assert.deepEqual([first.status, valueOf(first, "require")], [180, "100rel"]);
  assert.equal(valueOf(again, "rseq"), valueOf(first, "rseq"));
  assert.deepEqual([wrong.status, prack.status, second.status], [481, 200, 200]);
  assert.deepEqual([early.status, early.body], [183, sdp("early")]);
  assert.equal(Number(valueOf(early, "rseq")), Number(valueOf(first, "rseq")) + 1);
  assert.notEqual(isEarly, true, "answered before the PRACK");
  await callee;
  assert.equal((await dialog.bye()).status, 200);
});

sipTest("createFork() acknowledges reliable provisional responses, each once", async () => {
  await using lab = await startSipLab();
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  lab.service.answer = () => dial("proxied");

  const call = alice.call("bob");
  const ringing = await bob.nextCall();
  const reliable = ["Require: 100rel", "RSeq: 41"];
  ringing.ring({ status: 183, sdp: sdp("early"), headers: reliable });
  ringing.ring({ status: 183, sdp: sdp("early"), headers: reliable });
  const early = await call.ringing;
  const prack = await ringing.pracked;
  const callee = await ringing.answer(sdp("early"));
  const dialog = await call.answered;

  assert.equal(valueOf(prack, "rack"), `41 ${valueOf(ringing.invite, "cseq")}`);
  assert.deepEqual([early.body, valueOf(early, "require")], [sdp("early"), ""]);
  assert.equal(call.statuses.filter((status) => status === 183).length, 1);
  await callee.bye();
  assert.equal((await dialog.ended).method, "BYE");
});

sipTest("early() lets a caller hear what the one callee sends before it answers", async () => {
  await using lab = await startSipLab();
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  lab.service.answer = () => dial("anchored");

  const call = alice.call("bob", { sdp: sdp("alice") });
  const ringing = await bob.nextCall();
  ringing.ring();
  const first = await call.nextProvisional();
  ringing.ring({ status: 183, sdp: sdp("bob") });
  const early = await call.nextProvisional();
  const [ofBob, ofAlice] = lab.media.legs;
  assert.equal(ofBob?.joined, ofAlice);
  const callee = await ringing.answer(sdp("bob"));
  const dialog = await call.answered;

  assert.deepEqual([first.status, first.body], [180, ""]);
  assert.deepEqual([early.status, early.body], [183, ofAlice?.localSdp]);
  assert.equal(dialog.remoteSdp, early.body);
  assert.deepEqual([ofBob?.remoteSdp, ofAlice?.remoteSdp], [sdp("bob"), sdp("alice")]);
  assert.equal(ofBob?.joined, ofAlice);
  await dialog.bye();
  assert.equal((await callee.ended).method, "BYE");
});

sipTest("early() gives way to other media when the first are gone before the answer", async () => {
  await using lab = await startSipLab();
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  lab.service.answer = () => dial("anchored");

  const call = alice.call("bob", { sdp: sdp("alice") });
  const ringing = await bob.nextCall();
  ringing.ring({ status: 183, sdp: sdp("bob") });
  await call.nextProvisional();
  lab.media.legs[1]?.lose();
  await ringing.answer(sdp("bob"));
  const dialog = await call.answered;

  assert.equal(dialog.remoteSdp, lab.media.legs[2]?.localSdp);
  assert.equal(lab.media.legs[0]?.joined, lab.media.legs[2]);
  assert.equal((await dialog.bye()).status, 200);
});

sipTest(
  "a leg whose media are lost is ended, and what is logged names it and the reason",
  async () => {
    await using lab = await startSipLab();
    const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
    lab.service.answer = () => dial("anchored");
    const call = alice.call("bob", { sdp: sdp("alice") });
    await (await bob.nextCall()).answer(sdp("bob"));
    const dialog = await call.answered;

    lab.media.legs.forEach((leg) => leg.lose());
    await dialog.ended;

    const { leg } = await lab.service.event("ended");
    const lost = lab.logged.filter((line) => line.startsWith("Lost the media of a leg"));
    assert.ok(
      lost.includes(`Lost the media of a leg {"leg":"${leg}","why":"its peer is gone"}`),
      leg,
    );
  },
);
