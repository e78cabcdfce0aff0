import assert from "node:assert/strict";
import type { Report } from "../../../core/protocol/companion.ts";
import type { Invitation, Script } from "../../../core/protocol/script.ts";
import { audioAsked, gatherStep } from "../../support/sip/gather_lab.ts";
import { invite, type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";

const action = { url: "http://app.test/dialled", method: "POST", hops: 0 } as const;
const connect: Script = [{ type: "silence", seconds: 0.01 }, { type: "connect" }];
const stay: Script = [{ type: "silence", seconds: 60 }];
const screened = (login: string): Invitation => ({ ...invite(login), screened: true });
const dial = (...legs: Invitation[]): Script => [
  { type: "dial", legs, media: "anchored", timeoutS: 30, timeLimitS: 60, action },
];

/** What the service answers, by the leg of a report or by its event. */
function answering(
  lab: SipLab,
  scripts: Record<string, Script | (() => Script | Promise<Script>)>,
) {
  lab.service.answer = ({ leg, event }: Report) => {
    const script = scripts[leg] ?? scripts[event.type] ?? stay;
    return typeof script === "function" ? script() : script;
  };
}

const typesOf = (lab: SipLab, leg: string) =>
  lab.service.reports.filter((report) => report.leg === leg).map(({ event }) => event.type);

sipTest(
  "dial() joins a screened leg when its screening lets it, and rings until then",
  async () => {
    await using lab = await startSipLab();
    const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
    const leg = screened("bob");
    const script = Promise.withResolvers<Script>();
    answering(lab, { incoming: dial(leg), [leg.leg]: () => script.promise });

    const call = alice.call("bob");
    const rung = await bob.nextCall();
    rung.ring();
    await call.ringing;
    const callee = await rung.answer();
    const { wantsScript } = await lab.service.event("answered", leg.leg);
    const before = [...call.statuses];
    script.resolve(connect);
    const caller = await call.answered;
    const joined = lab.media.legs.map(({ joined }) => joined !== undefined);
    await callee.bye();
    const { event } = await lab.service.event("dialled");
    await caller.bye();

    assert.equal(wantsScript, true);
    assert.ok(!before.includes(200));
    assert.deepEqual(joined, [true, true]);
    assert.equal(event.outcome, "completed");
  },
);

const refusals: Record<string, Script> = {
  "hangs up": [{ type: "hangup" }],
  "rejects": [{ type: "reject", status: 486 }],
  "has no script": [],
};

for (const [what, script] of Object.entries(refusals)) {
  sipTest(`dial() counts a leg whose screening ${what} as unanswered`, async () => {
    await using lab = await startSipLab();
    const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
    const leg = screened("bob");
    answering(lab, { incoming: dial(leg), [leg.leg]: script, dialled: [{ type: "hangup" }] });

    const call = alice.call("bob");
    const callee = await (await bob.nextCall()).answer();
    const bye = await callee.ended;
    const { event } = await lab.service.event("dialled");
    const final = await call.final;

    assert.equal(bye.method, "BYE");
    assert.deepEqual([event.outcome, event.leg, event.durationS], ["no-answer", leg.leg, 0]);
    assert.equal(final.status, 480);
    assert.deepEqual(typesOf(lab, leg.leg), ["inviting", "answered", "ended"]);
  });
}

sipTest("dial() is unanswered when the callee hangs up in the screening", async () => {
  await using lab = await startSipLab();
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  const leg = screened("bob");
  answering(lab, { incoming: dial(leg), dialled: [{ type: "reject", status: 404 }] });

  const call = alice.call("bob");
  const callee = await (await bob.nextCall()).answer();
  await lab.service.event("answered", leg.leg);
  await callee.bye();
  const { event } = await lab.service.event("dialled");

  assert.equal(event.outcome, "no-answer");
  assert.equal((await call.final).status, 404);
});

sipTest("dial() ends the screening when the caller gives up", async () => {
  await using lab = await startSipLab();
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  const leg = screened("bob");
  answering(lab, { incoming: dial(leg) });

  const call = alice.call("bob");
  const rung = await bob.nextCall();
  rung.ring();
  await call.ringing;
  const callee = await rung.answer();
  await lab.service.event("answered", leg.leg);
  await call.cancel();

  assert.equal((await callee.ended).method, "BYE");
  const { event } = await lab.service.event("dialled");
  assert.equal(event.outcome, "canceled");
});

sipTest(
  "dial() joins the first leg to get through its screening, and ends the others then",
  async () => {
    await using lab = await startSipLab();
    const phones = [await lab.phone("alice"), await lab.phone("bob"), await lab.phone("carol")];
    const [bobs, carols] = [screened("bob"), screened("carol")];
    const script = Promise.withResolvers<Script>();
    answering(lab, { incoming: dial(bobs, carols), [carols.leg]: () => script.promise });

    const call = phones[0]!.call("bob");
    const bob = await (await phones[1]!.nextCall()).answer();
    const rung = await phones[2]!.nextCall();
    await lab.service.event("answered", bobs.leg);
    const carol = await rung.answer();
    await lab.service.event("answered", carols.leg);
    script.resolve(connect);
    await call.answered;
    const bye = await bob.ended;
    await carol.bye();
    const { event } = await lab.service.event("dialled");

    assert.equal(bye.method, "BYE");
    assert.deepEqual([event.outcome, event.leg], ["completed", carols.leg]);
  },
);

sipTest("dial() lets an unscreened leg win while another is screened", async () => {
  await using lab = await startSipLab();
  const phones = [await lab.phone("alice"), await lab.phone("bob"), await lab.phone("carol")];
  const [bobs, carols] = [screened("bob"), invite("carol")];
  answering(lab, { incoming: dial(bobs, carols) });

  const call = phones[0]!.call("bob");
  const bob = await (await phones[1]!.nextCall()).answer();
  await lab.service.event("answered", bobs.leg);
  const carol = await (await phones[2]!.nextCall()).answer();
  await call.answered;
  await bob.ended;
  await carol.bye();

  assert.equal((await lab.service.event("dialled")).event.leg, carols.leg);
});

sipTest("dial() cancels what rings only when a screening is over", async () => {
  await using lab = await startSipLab();
  const phones = [await lab.phone("alice"), await lab.phone("bob"), await lab.phone("carol")];
  const [bobs, carols] = [screened("bob"), invite("carol")];
  const script = Promise.withResolvers<Script>();
  answering(lab, { incoming: dial(bobs, carols), [bobs.leg]: () => script.promise });

  const call = phones[0]!.call("bob");
  await (await phones[1]!.nextCall()).answer();
  const ringing = await phones[2]!.nextCall();
  ringing.ring();
  await lab.service.event("ringing", carols.leg);
  await lab.service.event("answered", bobs.leg);
  const before = typesOf(lab, carols.leg).includes("ended");
  script.resolve(connect);
  await ringing.cancelled;
  await call.answered;

  assert.equal(before, false);
});

sipTest(
  "a leg that is screened may be moved elsewhere, and the caller's dial goes on",
  async () => {
    await using lab = await startSipLab();
    const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
    const leg = screened("bob");
    answering(lab, { incoming: dial(leg), dialled: [{ type: "reject", status: 404 }] });

    const call = alice.call("bob");
    const callee = await (await bob.nextCall()).answer();
    await lab.service.event("answered", leg.leg);
    await lab.run(leg.leg, [{ type: "next", action }]);
    await lab.service.event("next", leg.leg);
    const final = await call.final;
    await callee.bye();

    assert.equal(final.status, 404);
    assert.deepEqual(typesOf(lab, leg.leg).slice(0, 3), ["inviting", "answered", "next"]);
  },
);

sipTest(
  "a caller may be moved away from a dial that screens, and a screened leg hung up",
  async () => {
    await using lab = await startSipLab();
    const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
    const legs = [screened("bob"), screened("bob")] as const;
    const left = [...legs];
    answering(lab, { incoming: () => dial(left.shift()!), dialled: [{ type: "hangup" }] });

    const first = alice.call("bob");
    const bobs = await (await bob.nextCall()).answer();
    await lab.service.event("answered", legs[0].leg);
    const { leg } = await lab.service.event("incoming");
    await lab.run(leg, [{ type: "answer" }, ...stay]);
    const caller = await first.answered;
    await bobs.ended;
    await caller.bye();

    const second = alice.call("bob");
    const again = await (await bob.nextCall()).answer();
    await lab.service.event("answered", legs[1].leg);
    await lab.run(legs[1].leg, [{ type: "hangup" }]);
    await again.ended;
    assert.equal((await second.final).status, 480);
  },
);

sipTest("dial() sends digits to whoever answered before the two are joined", async () => {
  await using lab = await startSipLab();
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  answering(lab, { incoming: dial({ ...invite("bob"), sendDigits: "ww12#" }) });

  const call = alice.call("bob");
  const callee = await (await bob.nextCall()).answer();
  await call.answered;
  const [theirs] = lab.media.legs;
  await callee.bye();

  assert.deepEqual(theirs?.sentDigits, ["ww12#"]);
});

sipTest("connect hangs up a leg that no dial screens", async () => {
  await using lab = await startSipLab();
  const alice = await lab.phone("alice");
  lab.service.answer = () => [{ type: "answer" }, { type: "connect" }];
  const dialog = await alice.call("anything").answered;

  assert.equal((await dialog.ended).method, "BYE");
});

sipTest("a screened leg types whether it is joined", async () => {
  const audio = audioAsked();
  await using lab = await startSipLab({ loadAudio: audio.loadAudio });
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  const leg = screened("bob");
  const step = gatherStep({ keys: { start: "1", finish: "#", most: 1 } });
  const scripts: Script[] = [[step, { type: "hangup" }], [{ type: "connect" }]];
  answering(lab, { incoming: dial(leg), [leg.leg]: () => scripts.shift() ?? [] });

  const call = alice.call("bob");
  const callee = await (await bob.nextCall()).answer();
  await audio.asked("http://app.test/prompt.wav");
  for (const content of ["5", "1"]) {
    await callee.request("INFO", { body: { type: "application/dtmf", content } });
  }
  await call.answered;
  const { event } = await lab.service.event("gathered", leg.leg);
  await callee.bye();

  assert.equal(event.digits, "1");
});
