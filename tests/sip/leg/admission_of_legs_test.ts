import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { invite, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { webrtcAnswer } from "../../support/media/webrtc_answer.ts";

/** Alice calls bob by a dial whose leg limits count; the service says what becomes of that. */
async function dialLimited(verdict: Script) {
  const lab = await startSipLab();
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  const leg = { ...invite("bob"), limited: true as const };
  const asked: boolean[] = [];
  lab.service.answer = ({ event, wantsScript }) => {
    if (event.type === "incoming") {
      return [
        { type: "dial", legs: [leg], media: "anchored", timeoutS: 30, timeLimitS: 600 },
        { type: "hangup" },
      ];
    }
    if (event.type === "inviting") asked.push(wantsScript);
    return event.type === "inviting" ? verdict : [];
  };
  return { lab, alice, bob, leg: leg.leg, asked };
}

sipTest("a leg that limits count is placed when the service lets it", async () => {
  const { lab, alice, bob, asked } = await dialLimited([{ type: "connect" }]);
  await using _ = lab;
  const call = alice.call("bob");
  const ringing = await bob.nextCall();
  assert.deepEqual(asked, [true]);
  await ringing.answer(webrtcAnswer(ringing.invite.body));
  await call.answered;
});

for (
  const [verdict, status, words] of [
    [
      [{ type: "reject", status: 403, text: 'MaxSpendPerDay of "this" account is 5.00' }],
      403,
      /5\.00/,
    ],
    [[{ type: "reject", status: 503, text: "MaxConcurrentCalls is 1" }], 503, /MaxConcurrentCalls/],
    [[], 503, /./], // A service that does not know such legs lets none out.
  ] as const
) {
  sipTest(
    `a leg that limits refuse rings nobody: ${status}, ${JSON.stringify(verdict)}`,
    async () => {
      const { lab, alice, leg } = await dialLimited([...verdict]);
      await using _ = lab;
      const refused = await alice.call("bob").final;
      assert.equal(refused.status, status);
      const warning = refused.headers.find(([name]) => name === "warning")?.[1] ?? "-";
      assert.match(warning, words);
      const { event } = await lab.service.event("ended", leg);
      assert.equal(event.sipStatus, status);
      assert.equal((await lab.service.disconnectionOf(leg)).cause, "limit");
    },
  );
}

sipTest(
  "a hang-up that is for later ends the leg then, and what it does goes on until then",
  async () => {
    const { lab, alice, bob, leg } = await dialLimited([{ type: "connect" }]);
    await using _ = lab;
    const call = alice.call("bob");
    const ringing = await bob.nextCall();
    const callee = await ringing.answer(webrtcAnswer(ringing.invite.body));
    const caller = await call.answered;
    const ordered = await lab.run(leg, [{ type: "hangup", cause: "limit", afterMs: 300 }]);
    await ordered.body?.cancel();
    const before = lab.service.reports.filter(({ event }) => event.type === "ended").length;
    await Promise.all([callee.next("BYE"), caller.next("BYE")]);
    assert.equal(before, 0);
    await lab.service.event("ended", leg);
    assert.equal((await lab.service.disconnectionOf(leg)).cause, "limit");
  },
);

sipTest(
  "a leg ends by itself after the minutes that are paid, unless that is put off",
  async () => {
    await using lab = await startSipLab();
    const bob = await lab.phone("bob");
    lab.service.answer = () => [{ type: "silence", seconds: 60 }];
    const place = async (endsAfterMs: number) => {
      const leg = { ...invite("bob"), endsAfterMs };
      const script = [{ type: "invite" as const, invitation: leg, timeoutS: 30 }];
      await (await lab.run(leg.leg, script)).body?.cancel();
      const ringing = await bob.nextCall();
      return { leg: leg.leg, dialog: await ringing.answer(webrtcAnswer(ringing.invite.body)) };
    };
    const first = await place(20_000);
    const second = await place(400);
    const sooner = await lab.run(first.leg, [{ type: "hangup", cause: "limit", afterMs: 200 }]);
    await sooner.body?.cancel();
    await Promise.all([first.dialog.next("BYE"), second.dialog.next("BYE")]);
    for (const { leg } of [first, second]) {
      await lab.service.event("ended", leg);
      assert.equal((await lab.service.disconnectionOf(leg)).cause, "limit");
    }
  },
);
