import assert from "node:assert/strict";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import { openPeer } from "../../../../sip/media/webrtc/peer.ts";
import { ofKind } from "../../../../sip/media/sdp/parse_sdp.ts";
import { writeRtp } from "../../../../sip/media/rtp/rtp.ts";
import { OUR_FORMATS, type Session, type WebrtcAudio } from "../../../../sip/media/sdp/sdp.ts";
import type { Peer } from "../../../../sip/media/sdp/transport.ts";
import { handClock } from "../../../support/process/hand_clock.ts";
import { type MemorySockets, memorySockets } from "../../../support/sip/memory_sockets.ts";

const isDtls = ([first = 0]: Uint8Array) => first >= 20 && first <= 63;
const isSrtp = ([first = 0]: Uint8Array) => first >= 128;

/** Two peers that have each other's SDP, on a clock and a network of the test's. */
async function pair(changes: { offer?: Partial<WebrtcAudio>; answer?: Partial<WebrtcAudio> } = {}) {
  const clock = handClock();
  const sockets = memorySockets();
  const changed = (session: Session, change?: Partial<WebrtcAudio>): Session => ({
    ...session,
    audio: { ...ofKind("webrtc", session).audio, ...change },
  });
  const options = { sockets, clock, mid: "0", formats: OUR_FORMATS };
  const one = await openPeer(options);
  const other = await openPeer({ ...options, offer: changed(one.local, changes.offer) });
  const states = [stateOf(one), stateOf(other)];
  const accept = () => one.accept(changed(other.local, changes.answer));
  /** Lets time pass, and all that was sent in it arrive. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 50) {
      clock.advance(50);
      for (let i = 0; i < 20; i++) await Promise.resolve();
    }
  };
  const close = async () => {
    await Promise.all([one.close(), other.close()]);
    assert.deepEqual([sockets.count(), clock.waiting()], [0, 0]);
  };
  return { one, other, states, accept, pass, close, clock, sockets };
}

/** What became of a peer till now. */
function stateOf(peer: Peer) {
  const state: { connected?: true | string; lost?: string } = {};
  peer.connected.then(() => state.connected = true, ({ message }) => state.connected = message);
  void peer.lost.then((why) => state.lost = why);
  return state;
}

const packet = (peer: Peer, sequence: number) =>
  writeRtp({
    payloadType: 0,
    marker: false,
    sequence,
    timestamp: sequence * 160,
    ssrc: peer.stream.ssrc,
    payload: new Uint8Array(160).fill(sequence),
  });

/** Where a peer is. */
function portsOf(peer: Peer): { port: number } {
  const [candidate = ""] = ofKind("webrtc", peer.local).audio.candidates;
  return { port: Number(candidate.split(" ")[5]) };
}

/** Each hears the other, and what is on the way can be read by nobody else. */
async function assertTalk({ one, other, sockets }: {
  one: Peer;
  other: Peer;
  sockets: MemorySockets;
}) {
  const onTheWay: Uint8Array[] = [];
  sockets.passes = (bytes) => {
    if (isSrtp(bytes)) onTheWay.push(bytes);
    return true;
  };
  for (const [from, to] of [[one, other], [other, one]] as const) {
    const heard = Promise.withResolvers<Uint8Array>();
    to.onPacket = (bytes) => heard.resolve(new Uint8Array(bytes));
    const sent = new Uint8Array(packet(from, 7));
    from.send(sent);
    assert.deepEqual(await heard.promise, sent);
    assert.notDeepEqual(onTheWay.at(-1)!.subarray(12, 172), sent.subarray(12));
  }
}

const cases = [
  ["who answers begins DTLS", {}],
  ["who offers begins DTLS where the answer wants that", { answer: { setup: "passive" as const } }],
  ["who answers waits where the offer wants to begin", { offer: { setup: "active" as const } }],
  ["an offer of a lite peer is checked by us", { offer: { lite: true } }],
  ["who named no place is found by its checks", { answer: { candidates: [] } }],
] as const;

for (const [name, changes] of cases) {
  Deno.test(`two WebRTC peers connect: ${name}`, async () => {
    // Both of a pair are ours, and so each has to believe what the test says of it.
    const isPassive = "answer" in changes && "setup" in changes.answer;
    const lab = await pair(isPassive ? { ...changes, offer: { setup: "active" } } : changes);
    lab.accept();
    await lab.pass(1_000);
    assert.deepEqual(lab.states, [{ connected: true }, { connected: true }]);
    await assertTalk(lab);
    await lab.close();
  });
}

Deno.test("a WebRTC peer whose answer comes late connects soon after it", async () => {
  const lab = await pair();
  await lab.pass(10_000);
  assert.deepEqual(lab.states, [{}, {}]);
  lab.accept();
  await lab.pass(2_000);
  assert.deepEqual(lab.states, [{ connected: true }, { connected: true }]);
  await assertTalk(lab);
  await lab.close();
});

for (const leaves of [true, false]) {
  const name = leaves ? ", which is gone," : "";
  Deno.test(`a WebRTC peer that is heard early${name} gives way to who answers`, async () => {
    const lab = await pair();
    const { one, other, sockets, clock } = lab;
    const options = { sockets, clock, mid: "0", formats: OUR_FORMATS, offer: one.local };
    const early = await openPeer(options);
    void one.accept(early.local, true);
    await lab.pass(1_000);
    await assertTalk({ one, other: early, sockets });
    if (leaves) await early.close();
    await lab.pass(leaves ? 1_000 : 0);
    lab.accept();
    await lab.pass(2_000);
    await assertTalk(lab);
    assert.deepEqual(lab.states, [{ connected: true }, { connected: true }]);
    if (!leaves) assert.equal((await early.lost).length > 0, true, "it is told of it");
    assert.throws(() => one.accept(early.local), /Cannot take an answer: there is one/);
    await early.close();
    await other.close();
    await lab.pass(1_000);
    assert.ok(lab.states[0]?.lost, "whoever answered is missed");
    await lab.close();
  });
}

Deno.test("a WebRTC peer that was heard early goes on where it answers", async () => {
  const lab = await pair();
  const { one, other } = lab;
  void one.accept(other.local, true);
  await lab.pass(1_000);
  lab.accept();
  await assertTalk(lab);
  await other.close();
  await lab.pass(1_000);
  assert.ok(lab.states[0]?.lost, "it is missed");
  await lab.close();
});

Deno.test("a WebRTC peer that was heard early and is gone is missed where it answers", async () => {
  const lab = await pair();
  const { one, other } = lab;
  void one.accept(other.local, true);
  await lab.pass(1_000);
  await other.close();
  await lab.pass(1_000);
  assert.deepEqual(lab.states[0], { connected: true });
  lab.accept();
  await lab.pass(50);
  assert.ok(lab.states[0]?.lost, "it is missed");
  await lab.close();
});

Deno.test("a peer that ICE finds and that has no DTLS is given up", async () => {
  const lab = await pair();
  lab.sockets.passes = (bytes) => !isDtls(bytes);
  lab.accept();
  await lab.pass(mediaLimits.dtlsMs - 1_000);
  assert.deepEqual(lab.states, [{}, {}]);
  await lab.pass(3_000);
  const state = {
    connected: "Cannot connect media: DTLS takes too long",
    lost: "DTLS takes too long",
  };
  assert.deepEqual(lab.states, [state, state]);
  await lab.close();
});

Deno.test("what a WebRTC peer sends before it is connected, or after its end, is dropped", async () => {
  const lab = await pair();
  const { one, other, states } = lab;
  let srtp = 0;
  lab.sockets.passes = (bytes) => {
    if (isSrtp(bytes)) srtp++;
    return true;
  };
  one.send(packet(one, 1));
  other.send(packet(other, 1));
  lab.accept();
  one.send(packet(one, 2));
  await lab.pass(1_000);
  assert.equal(srtp, 0);

  await one.close();
  await lab.pass(50);
  assert.deepEqual(states, [{ connected: true }, { connected: true, lost: "the peer closed it" }]);
  one.send(packet(one, 3));
  other.send(packet(other, 3));
  assert.equal(srtp, 0);
  await lab.close();
});

Deno.test("a packet of no protocol that shares the port, and any of a stranger, is dropped", async () => {
  const lab = await pair();
  lab.accept();
  await lab.pass(1_000);
  const heard: Uint8Array[] = [];
  lab.other.onPacket = (bytes) => heard.push(bytes.slice());
  const secured: Uint8Array[] = [];
  lab.sockets.passes = (bytes) => {
    secured.push(bytes);
    return false;
  };
  lab.one.send(packet(lab.one, 9));
  lab.sockets.passes = () => true;
  const [srtp] = secured;
  const { port: to } = portsOf(lab.other);
  const { port: from } = portsOf(lab.one);
  // RFC 7983 §7: of all first bytes but those of its own, none makes it an SRTP packet.
  for (let first = 0; first < 256; first++) {
    if (first !== srtp![0]) lab.sockets.inject(srtp!.with(0, first), { from, to });
  }
  lab.sockets.inject(srtp!, { from: from + 9, to });
  assert.deepEqual([heard, lab.states], [[], [{ connected: true }, { connected: true }]]);

  lab.sockets.inject(srtp!, { from, to });
  assert.equal(heard.length, 1);
  await lab.close();
});

Deno.test("a second answer, and one to a peer's offer or after the end, is refused", async () => {
  const lab = await pair();
  const { one, other } = lab;
  lab.accept();
  assert.throws(lab.accept, /Cannot take an answer: there is one/);
  assert.throws(() => other.accept(one.local), /Cannot take an answer: the offer was the peer's/);
  await lab.close();
  const closed = await pair();
  await closed.one.close();
  assert.throws(closed.accept, /Cannot take an answer: the leg is closed/);
  await closed.close();
});
