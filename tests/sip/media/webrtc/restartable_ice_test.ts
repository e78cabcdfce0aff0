import assert from "node:assert/strict";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import {
  newRestartableIce,
  type RestartableIce,
} from "../../../../sip/media/webrtc/restartable_ice.ts";
import type { IceCredentials } from "../../../../sip/media/webrtc/ice_credentials.ts";
import type { Address } from "../../../../sip/media/rtp/latch.ts";
import {
  alice,
  aliceAt,
  bob,
  bobAt,
  bobsCheck,
  candidate,
  type IceLab,
  iceLab,
  textOf,
} from "../../../support/media/ice_lab.ts";

const alice2: IceCredentials = { ufrag: "alice2", password: "alice2-0123456789-alice" };
const bob2: IceCredentials = { ufrag: "bob2", password: "bob2-0123456789-bob-bob" };
const bobMoved: Address = { address: "198.51.100.2", port: 7_000 };

/** What one says of itself, at a place. */
const said = (names: IceCredentials, at: Address) => ({
  ...names,
  candidates: [candidate(at)],
  lite: false,
});

/** Two that have found each other. */
async function pair({ aliceControls = true } = {}) {
  const lab = iceLab();
  const ends: Record<"one" | "other", string | undefined> = { one: undefined, other: undefined };
  let bobIsAt = bobAt;
  const agent = (
    at: () => Address,
    options: Parameters<RestartableIce["restart"]>[0],
    controlling: boolean,
  ) =>
    newRestartableIce({
      ...options,
      controlling,
      clock: lab.clock,
      send: (bytes, to) => lab.send(bytes, at(), to),
    });
  const one = agent(() => aliceAt, { local: alice, remote: said(bob, bobAt) }, aliceControls);
  const other = agent(() => bobIsAt, { local: bob, remote: said(alice, aliceAt) }, !aliceControls);
  lab.at.set(textOf(aliceAt), one.onMessage);
  lab.at.set(textOf(bobAt), other.onMessage);
  void one.lost.then((why) => ends.one = why);
  void other.lost.then((why) => ends.other = why);
  lab.advance(500);
  await Promise.all([one.connected, other.connected]);
  assert.deepEqual([one.selected(), other.selected()], [bobAt, aliceAt]);
  /** Bob is elsewhere, and nobody where he was. */
  const move = () => {
    lab.at.delete(textOf(bobIsAt));
    bobIsAt = bobMoved;
    lab.at.set(textOf(bobIsAt), other.onMessage);
  };
  const restart = () => {
    one.restart({ local: alice2, remote: said(bob2, bobIsAt) });
    other.restart({ local: bob2, remote: said(alice2, aliceAt) });
  };
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      lab.advance(100);
      await Promise.resolve();
    }
  };
  const close = () => {
    one.close();
    other.close();
    assert.equal(lab.clock.waiting(), 0);
  };
  return { lab, one, other, ends, move, restart, pass, close };
}

const answersTo = ({ sent }: IceLab, transaction: string) =>
  sent.filter(({ message }) => message.type !== "request" && message.transaction === transaction);

for (const aliceControls of [true, false]) {
  Deno.test(`a restart finds who moved, ${aliceControls ? "we" : "they"} nominating`, async () => {
    const { lab, one, other, ends, move, restart, pass, close } = await pair({ aliceControls });

    move();
    restart();
    assert.deepEqual(one.selected(), bobAt, "where it was, until there is another way");
    lab.sent = [];
    await pass(500);

    assert.deepEqual([one.selected(), other.selected()], [bobMoved, aliceAt]);
    assert.ok(one.knows(bobMoved) && one.knows(bobAt), "what is under way is still the peer's");
    const roles = lab.sent.flatMap(({ from, message }) =>
      from === aliceAt ? message.role?.controlling ?? [] : []
    );
    assert.deepEqual([...new Set(roles)], [aliceControls], "roles stay as they were");
    lab.sent = [];
    await pass(60_000);
    assert.deepEqual(ends, { one: undefined, other: undefined });
    const asked = new Set(lab.sent.flatMap(({ message }) => message.username ?? []));
    assert.deepEqual(asked, new Set(["alice2:bob2", "bob2:alice2"]), "consent is the new one's");
    close();
  });
}

Deno.test("checks by the old names are answered until the new pair is nominated", async () => {
  const { lab, one, restart, pass, close } = await pair();
  lab.isLost = ({ message }) => message.username?.includes("2") ?? false;
  restart();
  await pass(2_000);
  const check = (id: string) => {
    const role = { controlling: false, tieBreaker: 1n };
    one.onMessage(bobsCheck({ transaction: id, role }), bobAt);
    return answersTo(lab, id).length;
  };

  assert.equal(check("0a".repeat(12)), 1);
  assert.deepEqual(one.selected(), bobAt);
  lab.isLost = () => false;
  await pass(3_000);
  assert.equal(check("0b".repeat(12)), 0);
  close();
});

Deno.test("a restart that finds no way leaves the old one, as long as the peer consents there", async () => {
  const { lab, one, ends, restart, pass, close } = await pair();
  lab.isLost = ({ message }) => message.username?.includes("2") ?? false;
  restart();

  await pass(mediaLimits.iceConnectMs + 120_000);
  assert.deepEqual([one.selected(), ends.one], [bobAt, undefined]);

  lab.isLost = () => true;
  await pass(mediaLimits.iceConsentMs + 5_000);
  assert.match(ends.one ?? "", /does not answer any more/);
  close();
});

Deno.test("the end of the old way during a restart is no loss, unless that fails too", async () => {
  for (const isFound of [true, false]) {
    const { lab, one, ends, move, restart, pass, close } = await pair();
    lab.isLost = () => true;
    await pass(24_000);
    move();
    restart();
    await pass(15_000); // The old consent is over.
    assert.equal(ends.one, undefined);
    if (isFound) lab.isLost = () => false;

    await pass(mediaLimits.iceConnectMs);

    if (isFound) assert.deepEqual([one.selected(), ends.one], [bobMoved, undefined]);
    else assert.match(ends.one ?? "", /ICE found no way to the peer/);
    close();
  }
});

Deno.test("a second restart takes the place of one that is under way", async () => {
  const { lab, one, other, ends, move, restart, pass, close } = await pair();
  lab.isLost = ({ message }) => message.username?.includes("2") ?? false;
  for (let again = 0; again < 20; again++) restart();
  await pass(200);
  lab.isLost = () => false;
  move();
  restart();

  await pass(1_000);

  assert.deepEqual([one.selected(), other.selected()], [bobMoved, aliceAt]);
  await pass(60_000);
  assert.deepEqual(ends, { one: undefined, other: undefined });
  close();
});
