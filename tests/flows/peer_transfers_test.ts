import assert from "node:assert/strict";
import { xml } from "../support/service/hand_companion.ts";
import { sipTest } from "../support/sip/sip_lab.ts";
import { valueOf } from "../support/sip/sip_text.ts";
import type { Softphone } from "../support/sip/softphone.ts";
import {
  dials,
  obey,
  refer,
  sdpOf,
  type Side,
  startTransferLab,
  talking,
  told,
  type TransferLab,
} from "../support/sip/transfer_lab.ts";

const bothEnded = (...sides: Side[]) => Promise.all(sides.map(({ dialog }) => dialog.ended));

const stillTalking = async (...sides: Side[]) => {
  for (const { dialog } of sides) assert.equal((await dialog.request("INFO")).status, 200);
};

/** The phones, each at a companion. */
async function phones(
  lab: TransferLab,
  where: { alice: string; bob: string; carol: string },
): Promise<{ alice: Softphone; bob: Softphone; carol: Softphone }> {
  return {
    alice: await lab.phone("alice", lab.at(where.alice)),
    bob: await lab.phone("bob", lab.at(where.bob)),
    carol: await lab.phone("carol", lab.at(where.carol)),
  };
}

const allCompleted = (lab: TransferLab) => async () => {
  const statuses = await lab.statuses();
  return statuses.every((status) => status === "completed");
};

/** Directions of the calls: bob talks to alice in the first one, to carol in the second one. */
const courses = [
  ["who asks was called by one and calls the other", {
    alice: "one",
    bob: "two",
    carol: "two",
  }, [true, false]],
  ["the other is at a third companion", {
    alice: "one",
    bob: "two",
    carol: "three",
  }, [true, false]],
  ["who asks calls one, and was called by the other from a third companion", {
    alice: "one",
    bob: "two",
    carol: "three",
  }, [false, true]],
  ["who asks calls both, each at another companion", {
    alice: "one",
    bob: "two",
    carol: "three",
  }, [false, false]],
  ["both calls came from the same companion", {
    alice: "one",
    bob: "two",
    carol: "one",
  }, [true, true]],
] as const;

for (const [course, where, [isCalled, isCalledAgain]] of courses) {
  sipTest(`attended() between companions, SDP passing through: ${course}`, async () => {
    await using lab = await startTransferLab("proxied");
    const { alice, bob, carol } = await phones(lab, where);
    const call = (one: Softphone, other: Softphone, isReversed: boolean) =>
      isReversed
        ? talking(other, one).then(([a, b]) => [b, a] as [Side, Side])
        : talking(one, other);
    const [first, ofAlice] = await call(bob, alice, isCalled);
    const [second, ofCarol] = await call(bob, carol, isCalledAgain);

    await refer(first, second, "carol");
    const calling = obey(ofAlice);
    const again = await carol.nextCall();
    const taken = await again.answer(sdpOf("carol-again"));
    const joined = await calling;
    const progress = await told(first);

    const [, callId, toTag, fromTag] =
      /^(.+);to-tag=(.+);from-tag=(.+)$/.exec(valueOf(again.invite, "replaces")) ?? [];
    assert.equal(
      encodeURIComponent(`${callId};to-tag=${fromTag};from-tag=${toTag}`),
      ofCarol.dialog.replaces,
    );
    assert.deepEqual(progress, ["SIP/2.0 100 Trying", "SIP/2.0 200 Whatever"]);
    assert.equal(again.invite.body, sdpOf("alice-again"));
    assert.match(valueOf(again.invite, "from"), /sip:alice@/);
    assert.ok(typeof joined === "object");
    assert.equal(joined.remoteSdp, sdpOf("carol-again"));
    await bothEnded(second, ofCarol);
    await first.dialog.bye();
    await ofAlice.dialog.ended;
    assert.equal((await taken.request("INFO")).status, 200);
    await joined.next("INFO");
    await joined.bye();
    await taken.ended;
    await lab.until(allCompleted(lab));
  });
}

/** Alice talks to bob, and bob to carol, with media of ours in between. */
async function consulting(lab: TransferLab, where: { alice: string; bob: string; carol: string }) {
  const { alice, bob, carol } = await phones(lab, where);
  const [ofAlice, first] = await talking(alice, bob);
  const [second, ofCarol] = await talking(bob, carol);
  return { ofAlice, first, second, ofCarol };
}

const where = { alice: "one", bob: "two", carol: "two" };

sipTest(
  "attended() between companions joins the media of both, and their records end",
  async () => {
    await using lab = await startTransferLab("anchored");
    const { ofAlice, first, second, ofCarol } = await consulting(lab, where);

    await refer(first, second, "carol");
    const progress = await told(first);
    await bothEnded(first, second);
    await stillTalking(ofAlice, ofCarol);

    assert.deepEqual(progress, ["SIP/2.0 100 Trying", "SIP/2.0 200 OK"]);
    for (const id of ["one", "two"]) {
      const open = lab.media[id]!.legs.filter(({ closed }) => !closed);
      assert.deepEqual(open.map(({ joined }) => open.indexOf(joined!)), [1, 0]);
    }
    const [fromOne] = lab.media.one!.legs.slice(-1);
    const [atTwo] = lab.media.two!.legs.slice(-1);
    assert.deepEqual([fromOne?.remoteSdp, atTwo?.remoteSdp], [atTwo?.localSdp, fromOne?.localSdp]);

    await ofAlice.dialog.bye();
    await ofCarol.dialog.ended;
    await lab.until(allCompleted(lab));
    const { calls } = (await lab.app.root.get("Calls.json")).json();
    const made = calls.filter(({ from, to }: { from: string; to: string }) =>
      from === "client:alice" && to === "client:carol"
    );
    assert.deepEqual(made.map(({ direction }: { direction: string }) => direction), [
      "outbound-dial",
    ]);
  },
);

sipTest(
  "either side can transfer again after an attended transfer between companions",
  async () => {
    await using lab = await startTransferLab("anchored");
    const { ofAlice, first, second, ofCarol } = await consulting(lab, where);
    await refer(first, second, "carol");
    await told(first);
    await bothEnded(first, second);

    const accepted = await ofCarol.dialog.request("REFER", {
      headers: ["Refer-To: <sip:bob@sip.test>"],
    });
    const incoming = await first.phone.nextCall();
    const taken = await incoming.answer();
    const progress = await told(ofCarol);
    await ofCarol.dialog.ended;

    assert.equal(accepted.status, 202);
    assert.equal(valueOf(incoming.invite, "referred-by"), "<sip:carol@sip.test>");
    assert.equal(progress.at(-1), "SIP/2.0 200 OK");
    await stillTalking(ofAlice);
    await taken.bye();
    await ofAlice.dialog.ended;
    await lab.until(allCompleted(lab));
  },
);

for (const [moved, direction] of [["carol", "far"], ["alice", "near"]] as const) {
  sipTest(
    `MoveConnectedCallLeg from the ${direction} side of an attended transfer moves both sides`,
    async () => {
      await using lab = await startTransferLab("anchored");
      const { ofAlice, first, second, ofCarol } = await consulting(lab, where);
      await refer(first, second, "carol");
      await told(first);
      await bothEnded(first, second);
      const { root, answers } = lab.app;
      lab.app.answers = (request) =>
        request.url.endsWith("/moved")
          ? xml("<Dial><Conference>lobby</Conference></Dial>")
          : answers(request);
      const { calls } = (await root.get("Calls.json")).json();
      const wanted = moved === "carol"
        ? ["client:bob", "client:carol", "outbound-dial"]
        : ["client:alice", "client:bob", "inbound"];
      const { sid } = calls.find((call: { from: string; to: string; direction: string }) =>
        [call.from, call.to, call.direction].join() === wanted.join()
      );

      const form = { Url: "https://app.test/moved", MoveConnectedCallLeg: "true" };
      await root.post(`Calls/${sid}.json`, form);
      await lab.app.runJobs();
      await lab.until(async () => (await participants(lab)) === 2);

      await stillTalking(ofAlice, ofCarol);
      await Promise.all([ofAlice.dialog.bye(), ofCarol.dialog.bye()]);
      await lab.until(allCompleted(lab));
    },
  );
}

/** Number of participants of the one conference. */
async function participants({ app: { root } }: TransferLab): Promise<number> {
  const [found] = (await root.get("Conferences.json")).json().conferences;
  if (found === undefined) return 0;
  const path = `Conferences/${found.sid}/Participants.json`;
  return (await root.get(path)).json().participants.length;
}

sipTest(
  "a call that reached another companion by SDP that passes through can transfer there",
  async () => {
    await using lab = await startTransferLab("proxied");
    await dials(lab, "bob", "carol");
    const { alice, bob, carol } = await phones(lab, where);
    const [ofAlice, first] = await talking(alice, bob);
    const [second, ofCarol] = await talking(bob, carol);
    await refer(first, second, "carol");
    const joined = await obey(ofAlice);
    assert.ok(typeof joined === "object");
    await second.dialog.ended;
    await first.dialog.bye();
    await ofAlice.dialog.ended;

    const accepted = await joined.request("REFER", { headers: ["Refer-To: <sip:bob@sip.test>"] });
    const incoming = await bob.nextCall();
    const taken = await incoming.answer();
    const progress = await told({ phone: alice, dialog: joined });
    await joined.ended;

    assert.equal(accepted.status, 202);
    assert.equal(valueOf(incoming.invite, "referred-by"), "<sip:alice@sip.test>");
    assert.equal(progress.at(-1), "SIP/2.0 200 OK");
    await stillTalking(ofCarol);
    await ofCarol.dialog.bye();
    await taken.ended;
    await lab.until(allCompleted(lab));
  },
);

sipTest(
  "attended() reports 480 when the other companion is gone, and the call goes on",
  async () => {
    await using lab = await startTransferLab("anchored");
    const { companions } = lab.app.ports;
    const { alice, bob, carol } = await phones(lab, { alice: "one", bob: "two", carol: "three" });
    const [ofAlice, first] = await talking(alice, bob);
    const [ofCarol, second] = await talking(carol, bob);
    const three = (await companions.get("three"))!;
    await companions.beat({ ...three, sipUri: "sip:127.0.0.1:9;transport=ws" });

    await refer(first, second, "carol");
    const progress = await told(first);

    assert.equal(progress.at(-1), "SIP/2.0 480 Temporarily Unavailable");
    await stillTalking(ofAlice, first, second, ofCarol);
    await Promise.all([ofAlice.dialog.bye(), ofCarol.dialog.bye()]);
    await bothEnded(first, second);
  },
);

sipTest("attended() reports 481 when the other call has ended meanwhile", async () => {
  await using lab = await startTransferLab("anchored");
  const { ofAlice, first, second, ofCarol } = await consulting(lab, where);
  lab.app.ports.records.calls.get = hangingUpFirst(lab, ofCarol);

  await refer(first, second, "carol");
  const progress = await told(first);

  assert.equal(progress.at(-1), "SIP/2.0 481 Call/Transaction Does Not Exist");
  await stillTalking(ofAlice, first);
  await ofAlice.dialog.bye();
  await first.dialog.ended;
  await lab.until(async () =>
    (await lab.statuses()).every((status) => ["completed", "failed"].includes(status))
  );
});

/** Hangs up a side between the reads of the service and the action of the companion. */
function hangingUpFirst({ app, until, media }: TransferLab, { dialog }: Side) {
  const { calls } = app.ports.records;
  const read = calls.get.bind(calls);
  let reads = 0;
  return async (account: string, sid: string) => {
    const call = await read(account, sid);
    // The transferor's own call is read first, then the transferee's, then the leg to replace.
    if (++reads === 1 || call?.direction !== "inbound" || call.from !== "client:bob") return call;
    calls.get = read;
    await dialog.bye();
    await until(() => media.two!.legs.filter(({ closed }) => !closed).length === 0);
    return call;
  };
}

sipTest("attended() leaves both calls as they were when the target refuses", async () => {
  await using lab = await startTransferLab("proxied");
  const { alice, bob, carol } = await phones(lab, { alice: "one", bob: "two", carol: "three" });
  const [ofAlice, first] = await talking(alice, bob);
  const [second, ofCarol] = await talking(bob, carol);

  await refer(first, second, "carol");
  const calling = obey(ofAlice);
  (await carol.nextCall()).decline(603);
  const status = await calling;
  const progress = await told(first);

  assert.equal(status, 481);
  assert.equal(progress.at(-1), "SIP/2.0 481 Whatever");
  await stillTalking(ofAlice, first, second, ofCarol);
  await Promise.all([ofAlice.dialog.bye(), ofCarol.dialog.bye()]);
  await bothEnded(first, second);
});

sipTest("a made-up name of a leg replaces no leg", async () => {
  await using lab = await startTransferLab("proxied");
  const { alice, bob, carol } = await phones(lab, where);
  const [ofBob, ofCarol] = await talking(bob, carol);
  const { calls } = (await lab.app.root.get("Calls.json")).json();
  const named = `${calls[0].sid}@${lab.app.root.sid};to-tag=${"0".repeat(64)};from-tag=leg`;

  const answer = await alice.call("carol", { headers: [`Replaces: ${named}`] }).final;

  assert.equal(answer.status, 481);
  await stillTalking(ofBob, ofCarol);
});
