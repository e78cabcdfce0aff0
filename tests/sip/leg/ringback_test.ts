import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { ringingTone } from "../../../sip/media/audio/ringing_tone.ts";
import { invite, type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { amplitudeOf } from "../../support/media/tone.ts";

const early = "v=0\r\no=carol 1 1 IN IP4 127.0.0.1\r\ns=early\r\n";
const cadence = { samples: ringingTone().length, loop: 0 };

const dial = (...logins: string[]): Script[number] => ({
  type: "dial",
  legs: logins.map((login) => invite(login)),
  media: "anchored",
  timeoutS: 30,
  timeLimitS: 60,
});

/** Alice, answered by a script that dials the others only then. */
async function answeredFirst(lab: SipLab, ...logins: string[]) {
  lab.service.answer = ({ event }) =>
    event.type === "incoming" ? [{ type: "answer" }, dial(...logins)] : [];
  const alice = await lab.phone("alice");
  return await alice.call("anything").answered;
}

/** Alice, in a call with Bob, who refers her to Carol. */
async function referred(lab: SipLab) {
  const [alice, bob, carol] = await Promise.all(
    ["alice", "bob", "carol"].map((one) => lab.phone(one)),
  );
  lab.service.answer = ({ event }) =>
    event.type === "incoming" ? [dial("bob")] : event.type === "refer" ? [dial("carol")] : [];
  const calling = alice!.call("bob");
  const transferor = await (await bob!.nextCall()).answer();
  const caller = await calling.answered;
  await transferor.request("REFER", { headers: ["Refer-To: <sip:carol@sip.test>"] });
  return { caller, transferor, ringing: await carol!.nextCall() };
}

/** Resolves when the companion has heard that a device of Carol rings. */
const rings = async ({ service }: SipLab, login = "carol") => {
  const { leg } = await service.reported(({ event }) =>
    event.type === "inviting" && event.to === `client:${login}`
  );
  await service.event("ringing", leg);
  return leg;
};

sipTest(
  "ringAll() lets a caller that was answered hear ringing, once, until one answers",
  async () => {
    await using lab = await startSipLab({ slowMedia: true });
    const [bob, carol] = [await lab.phone("bob"), await lab.phone("carol")];
    const caller = await answeredFirst(lab, "bob", "carol");
    const [ofAlice] = lab.media.legs;

    const [first, second] = [await bob.nextCall(), await carol.nextCall()];
    assert.equal(ofAlice?.playing, false);
    first.ring();
    await rings(lab, "bob");
    second.ring();
    await rings(lab, "carol");
    assert.equal(ofAlice?.playing, true);
    const callee = await second.answer();
    await callee.request("INFO");

    assert.deepEqual(ofAlice?.played, [cadence]);
    assert.equal(ofAlice?.playing, false);
    assert.notEqual(ofAlice?.joined, undefined);
    await caller.bye();
    assert.equal((await callee.ended).method, "BYE");
  },
);

sipTest("ringAll() ends the ringing when no callee answers, and the script goes on", async () => {
  await using lab = await startSipLab({ slowMedia: true });
  const bob = await lab.phone("bob");
  const caller = await answeredFirst(lab, "bob");
  const [ofAlice] = lab.media.legs;

  const ringing = await bob.nextCall();
  ringing.ring();
  await rings(lab, "bob");
  assert.equal(ofAlice?.playing, true);
  ringing.decline(486);

  assert.equal((await caller.ended).method, "BYE");
  assert.equal(ofAlice?.playing, false);
});

sipTest(
  "ringAll() lets who was answered hear what the callee sends in place of ringing",
  async () => {
    await using lab = await startSipLab({ slowMedia: true });
    const carol = await lab.phone("carol");
    const caller = await answeredFirst(lab, "carol");
    const [ofAlice, ofCarol] = [lab.media.legs[0], () => lab.media.legs[1]];

    const ringing = await carol.nextCall();
    ringing.ring();
    await rings(lab);
    ringing.ring({ status: 183, sdp: early });
    ringing.ring();
    await caller.request("INFO");
    assert.deepEqual([ofAlice?.joined, ofAlice?.playing], [ofCarol(), false]);
    const callee = await ringing.answer(early);
    await callee.request("INFO");

    assert.deepEqual(ofAlice?.played, [cadence]);
    assert.equal(ofAlice?.joined, ofCarol());
    await callee.bye();
    assert.equal((await caller.ended).method, "BYE");
  },
);

sipTest(
  "blind() lets who is transferred hear ringing, and the transferor after a refusal",
  async () => {
    await using lab = await startSipLab({ slowMedia: true });
    const { caller, transferor, ringing } = await referred(lab);
    const [ofBob, ofAlice] = lab.media.legs;

    ringing.ring();
    await rings(lab);
    assert.deepEqual([ofAlice?.playing, ofAlice?.joined], [true, ofBob]);
    ringing.decline(486);
    while (!(await transferor.next("NOTIFY")).body.includes("486"));

    assert.deepEqual(ofAlice?.played, [cadence]);
    assert.deepEqual([ofAlice?.playing, ofAlice?.joined], [false, ofBob]);
    await caller.bye();
  },
);

for (const leaves of [false, true]) {
  const name = leaves ? "also when the transferor leaves" : "and the transferor after a refusal";
  sipTest(
    `blind() lets who is transferred hear the target before its answer, ${name}`,
    async () => {
      await using lab = await startSipLab({ slowMedia: true });
      const { caller, transferor, ringing } = await referred(lab);
      const [ofBob, ofAlice, ofCarol] = lab.media.legs;

      ringing.ring({ status: 183, sdp: early });
      await rings(lab);
      if (leaves) await transferor.bye();
      await caller.request("INFO");
      assert.equal(ofAlice?.joined, ofCarol);
      ringing.decline(486);

      if (leaves) {
        assert.equal((await caller.ended).method, "BYE");
        assert.equal(ofAlice?.joined, undefined);
      } else {
        while (!(await transferor.next("NOTIFY")).body.includes("486"));
        assert.equal(ofAlice?.joined, ofBob);
        await caller.bye();
      }
    },
  );
}

Deno.test("ringingTone() is a second of 425 Hz in every five", () => {
  const tone = ringingTone();
  const second = (at: number) => amplitudeOf(425, tone.subarray(at * 8_000, (at + 1) * 8_000));

  assert.equal(tone.length, 40_000);
  assert.ok(Math.abs(second(0) - 5_000) < 10);
  assert.deepEqual([1, 2, 3, 4].map(second), [0, 0, 0, 0]);
});
