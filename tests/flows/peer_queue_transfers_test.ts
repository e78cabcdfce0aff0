import assert from "node:assert/strict";
import { type FakeMedia, fakeMedia } from "../support/media/fake_media.ts";
import { type PeerRoomsLab, startPeerConferences } from "../support/sip/peer_conferences_lab.ts";
import { plainOffer } from "../support/sip/plain_peer.ts";
import { sipTest } from "../support/sip/sip_lab.ts";
import { valueOf } from "../support/sip/sip_text.ts";
import type { Softphone } from "../support/sip/softphone.ts";
import type { PhoneDialog } from "../support/sip/softphone_dialog.ts";
import { refer, type Side, told } from "../support/sip/transfer_lab.ts";
import { eventually } from "../support/process/eventually.ts";

interface Lab extends PeerRoomsLab {
  media: { one: FakeMedia; two: FakeMedia };
  /** Took Bob out of the queue, at `one`. */
  alice: Side;
  /** Waited at `two`. */
  bob: Side;
}

/** Alice talks to Bob, whom she took out of a queue at another companion. */
async function taken(): Promise<Lab> {
  const media = { one: fakeMedia({ slow: true }), two: fakeMedia({ slow: true }) };
  const only = { one: { media: media.one }, two: { media: media.two } };
  const lab = await startPeerConferences(["alice", "bob"], only);
  for (const login of ["carol"]) await lab.client(login);
  const side = async (login: string, at: "one" | "two", markup: string): Promise<Side> => {
    lab.pages.set(`/${login}`, markup);
    const phone = await lab.phone(login, lab[at]);
    return { phone, dialog: await phone.call("help").answered };
  };
  const bob = await side("bob", "two", `<Enqueue action="/left">help</Enqueue>`);
  await lab.until(async () => (await lab.callOf("bob")).queueSid !== null);
  const take = `<Dial action="/after"><Queue>help</Queue></Dial><Pause length="60"/>`;
  const alice = await side("alice", "one", take);
  await lab.until(async () => (await lab.callOf("bob")).queueSid === null);
  await mediaAre(() => media.one.legs[0]?.joined !== undefined);
  await mediaAre(() => media.two.legs[0]?.joined !== undefined);
  return { ...lab, media, alice, bob };
}

/** Resolves when a condition of the media holds: media change without a report to the service. */
const mediaAre = (isSo: () => boolean) => eventually(`the media are so: ${isSo}`, isSo);

const blindly = async ({ dialog }: Side, to: string) => {
  const { status } = await dialog.request("REFER", { headers: [`Refer-To: <sip:${to}@sip.test>`] });
  return status;
};

/** Returns whether two legs of a companion hear each other, and no other leg is open there. */
const areJoined = ({ legs }: FakeMedia) => () => {
  const open = legs.filter(({ closed }) => !closed);
  return open.length === 2 && open[0]!.joined === open[1] && open[1]!.joined === open[0];
};

const completed = (lab: Lab) => async () => {
  const { calls } = (await lab.app.root.get("Calls.json")).json();
  return calls.every(({ status }: { status: string }) => status === "completed");
};

for (const [who, other, at] of [["alice", "bob", "two"], ["bob", "alice", "one"]] as const) {
  sipTest(
    `blind() of ${who} moves ${other}, of a call taken elsewhere, to a third party`,
    async () => {
      await using lab = await taken();
      const carol = await lab.phone("carol", lab.one);
      const transferor = lab[who];
      const { sid: parent } = await lab.callOf(other);

      assert.equal(await blindly(transferor, "carol"), 202);
      const incoming = await carol.nextCall();
      const answered = await incoming.answer();
      const progress = await told(transferor);
      await transferor.dialog.ended;

      assert.equal(progress.at(-1), "SIP/2.0 200 OK");
      assert.equal(valueOf(incoming.invite, "referred-by"), `<sip:${who}@sip.test>`);
      assert.match(valueOf(incoming.invite, "from"), new RegExp(`sip:${other}@`));
      await mediaAre(areJoined(lab.media[at]));
      const { calls } = (await lab.app.root.get("Calls.json")).json();
      const made = calls.find(({ to }: { to: string }) => to === "client:carol");
      const record = await lab.app.ports.records.calls.get(lab.app.root.sid, made.sid);
      assert.deepEqual(record!.transfer, {
        target: "sip:carol@sip.test",
        transferor: `client:${who}`,
        transferee: `client:${other}`,
      });
      assert.equal(record!.parentCallSid, parent);
      await answered.bye();
      await lab[other].dialog.ended;
      await lab.until(completed(lab));
    },
  );
}

sipTest(
  "blind() of a call taken elsewhere leaves it as it was when the target declines",
  async () => {
    await using lab = await taken();
    const carol = await lab.phone("carol", lab.two);

    assert.equal(await blindly(lab.alice, "carol"), 202);
    (await carol.nextCall()).decline(486);
    const progress = await told(lab.alice);

    assert.equal(progress.at(-1), "SIP/2.0 486 Busy Here");
    await mediaAre(areJoined(lab.media.one));
    await mediaAre(areJoined(lab.media.two));
    await lab.bob.dialog.bye();
    assert.deepEqual((await afterDial(lab)).DialCallStatus, "completed");
  },
);

async function afterDial(lab: Lab): Promise<Record<string, string>> {
  await lab.until(async () => (await lab.asked("/after")).length > 0);
  return (await lab.asked("/after"))[0]!;
}

sipTest("blind() of a transferor that does not wait reaches the target all the same", async () => {
  await using lab = await taken();
  const carol = await lab.phone("carol", lab.two);

  assert.equal(await blindly(lab.alice, "carol"), 202);
  const incoming = await carol.nextCall();
  await lab.alice.dialog.bye();
  await incoming.answer();

  await mediaAre(areJoined(lab.media.two));
  await lab.bob.dialog.bye();
  await lab.until(completed(lab));
});

/** A side consults Carol at a companion, in a second call. */
async function consults(lab: Lab, { phone }: Side, at: "one" | "two"): Promise<[Side, Side]> {
  lab.pages.set(`/${phone.login}`, `<Dial><Client>carol</Client></Dial>`);
  const carol: Softphone = await lab.phone("carol", lab[at]);
  const call = phone.call("carol");
  const dialog: PhoneDialog = await (await carol.nextCall()).answer();
  return [{ phone, dialog: await call.answered }, { phone: carol, dialog }];
}

for (const who of ["alice", "bob"] as const) {
  for (const at of ["one", "two"] as const) {
    sipTest(`attended() of ${who}, in a call taken elsewhere, to one at ${at}`, async () => {
      await using lab = await taken();
      const transferor = lab[who];
      const other = lab[who === "alice" ? "bob" : "alice"];
      const [consulting, carol] = await consults(lab, transferor, at);

      await refer(transferor, consulting, "carol");
      const progress = await told(transferor);
      await Promise.all([transferor.dialog.ended, consulting.dialog.ended]);

      assert.equal(progress.at(-1), "SIP/2.0 200 OK");
      assert.equal((await carol.dialog.request("INFO")).status, 200);
      assert.equal((await other.dialog.request("INFO")).status, 200);
      await carol.dialog.bye();
      await other.dialog.ended;
      await lab.until(completed(lab));
    });
  }
}

for (const [who, other] of [["alice", "bob"], ["bob", "alice"]] as const) {
  sipTest(`a hold of ${who}, in a call taken elsewhere, reaches ${other}`, async () => {
    await using lab = await taken();
    const { dialog } = lab[other];
    for (const direction of ["sendonly", "sendrecv"]) {
      const sdp = plainOffer(9, { lines: [`a=${direction}`] });
      assert.equal((await lab[who].dialog.request("INVITE", { sdp })).status, 200);
      assert.match((await dialog.next("INVITE")).body, new RegExp(`^a=${direction}\r$`, "m"));
      await dialog.next("ACK");
    }
    await lab[who].dialog.bye();
    await dialog.ended;
    await lab.until(completed(lab));
  });
}

sipTest("a softphone gives no orders to another companion by INFO", async () => {
  await using lab = await taken();
  const body = {
    type: "application/vnd.switchboard+json",
    content: JSON.stringify({ type: "run", script: [{ type: "hangup" }] }),
  };

  assert.equal((await lab.alice.dialog.request("INFO", { body })).status, 415);
  assert.equal((await lab.bob.dialog.request("INFO")).status, 200);
  await lab.alice.dialog.bye();
});
