import assert from "node:assert/strict";
import { sipLimits } from "../../../sip/base/limits.ts";
import { testDomain } from "../../support/sip/fake_service.ts";
import { openUdpPeer, peerRequest, type SipPeer } from "../../support/sip/sip_peer.ts";
import { type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { type SipText, valueOf } from "../../support/sip/sip_text.ts";
import { authorization } from "../../support/sip/softphone_line.ts";

const onUdp = { transports: { ports: { UDP: 0 }, publicHost: "127.0.0.1" } };
const { free } = sipLimits.wrongAnswersOfDevice;
const { free: freeOfLogin } = sipLimits.wrongAnswersOfLogin;
const uri = `sip:${testDomain}`;

/** A peer on an address of the loopback. */
const peerOf = (lab: SipLab, host: string): Promise<SipPeer> =>
  openUdpPeer(lab.companion.sipAddresses.get("UDP")!, host);

let cseq = 0;

/** Guesses a password from one port after another of an address, as often as none is locked. */
async function guessFromPorts(lab: SipLab, host: string): Promise<unknown[]> {
  const statuses: unknown[] = [];
  while (statuses.length < freeOfLogin) {
    const guesser = await peerOf(lab, host);
    const challenged = await register(guesser);
    for (let n = 0; n < free && statuses.length < freeOfLogin; n++) {
      statuses.push((await register(guesser, wrong(challenged))).status);
    }
    await guesser.close();
  }
  return statuses;
}

async function register(
  peer: SipPeer,
  headers: string[] = [],
  own: { callId?: string; contact?: string } = {},
): Promise<SipText> {
  const { callId = `registration-${peer.port}` } = own;
  const { contact = `sip:alice@127.0.0.1:${peer.port}` } = own;
  const lines = [`Contact: <${contact}>`, ...headers];
  const options = { to: `<sip:alice@${testDomain}>`, callId, cseq: ++cseq, headers: lines };
  peer.send(peerRequest("REGISTER", "UDP", peer.port, options));
  return await peer.next();
}

const answerTo = (challenged: SipText, password: string): string =>
  authorization({ login: "alice", password }, { challenged, method: "REGISTER", uri });

const right = (challenged: SipText): string[] => [answerTo(challenged, "alice-secret")];
const wrong = (challenged: SipText): string[] => [answerTo(challenged, "guess")];

sipTest(
  "authenticate() counts no wrong answer to a challenge that its address was not given",
  async () => {
    await using lab = await startSipLab(onUdp);
    const [phone, guesser] = [await peerOf(lab, "127.0.0.2"), await peerOf(lab, "127.0.0.3")];
    // What a forged datagram can carry: it has the phone's address, and no challenge came there.
    const forged = await peerOf(lab, "127.0.0.2");
    const ofGuesser = await register(guesser);

    const answers: SipText[] = [];
    for (let n = 0; n < 4 * free; n++) answers.push(await register(forged, wrong(ofGuesser)));
    const invented = wrong(ofGuesser).map((line) => line.replace(/nonce="[^"]*"/, 'nonce="n"'));
    for (let n = 0; n < 4 * free; n++) answers.push(await register(forged, invented));
    const registered = await register(phone, right(await register(phone)));
    await Promise.all([phone, guesser, forged].map((peer) => peer.close()));

    assert.equal(registered.status, 200);
    for (const answer of answers) {
      assert.equal(answer.status, 401);
      assert.match(valueOf(answer, "www-authenticate"), /stale=true/);
    }
  },
);

sipTest(
  "authenticate() answers 503 with Retry-After to the network that guesses, and no other",
  async () => {
    await using lab = await startSipLab(onUdp);
    const phone = await peerOf(lab, "127.0.0.2");

    const statuses = await guessFromPorts(lab, "127.0.0.3");
    const another = await peerOf(lab, "127.0.0.3");
    const locked = await register(another, right(await register(another)));
    const elsewhere = await register(phone, right(await register(phone)));
    await Promise.all([phone, another].map((peer) => peer.close()));

    assert.deepEqual(statuses, Array.from({ length: freeOfLogin }, () => 401));
    assert.deepEqual([locked.status, elsewhere.status], [503, 200]);
    assert.match(valueOf(locked, "retry-after"), /^[12]$/);
  },
);

sipTest(
  "authenticate() refuses no refresh of a registered phone while its network is locked",
  async () => {
    await using lab = await startSipLab(onUdp);
    const [phone, neighbour] = [await peerOf(lab, "127.0.0.2"), await peerOf(lab, "127.0.0.2")];
    assert.equal((await register(phone, right(await register(phone)))).status, 200);

    const challenged = await register(neighbour);
    for (let n = 0; n < 2 * free; n++) await register(neighbour, wrong(challenged));
    const locked = await register(neighbour, wrong(challenged));
    const refreshed = await register(phone, right(await register(phone)));
    await Promise.all([phone, neighbour].map((peer) => peer.close()));

    assert.deepEqual([locked.status, refreshed.status], [503, 200]);
    assert.match(valueOf(refreshed, "contact"), new RegExp(`127\\.0\\.0\\.1:${phone.port}>`));
  },
);

for (
  const [what, more] of [
    ["the Call-ID of its registration", {}],
    ["its Contact", { callId: "after-a-restart" }],
  ] as const
) {
  sipTest(
    `authenticate() lets a registered phone with ${what} in from a new port while it is guessed`,
    async () => {
      await using lab = await startSipLab(onUdp);
      const peers = [1, 2, 3].map(() => peerOf(lab, "127.0.0.2"));
      const [phone, moved, another] = await Promise.all(peers) as [SipPeer, SipPeer, SipPeer];
      const own = { callId: "of-the-phone", contact: "sip:alice@192.168.1.7:5060" };
      assert.equal((await register(phone, right(await register(phone, [], own)), own)).status, 200);

      await guessFromPorts(lab, "127.0.0.2");
      const locked = await register(another, right(await register(another)));
      const again = { ...own, ...more };
      const returned = await register(moved, right(await register(moved, [], again)), again);
      const guesses: unknown[] = [];
      const third = await register(moved, [], again);
      const elsewhere = await peerOf(lab, "127.0.0.2");
      for (let n = 0; n <= free; n++) {
        guesses.push((await register(elsewhere, wrong(third), again)).status);
      }
      await Promise.all([phone, moved, another, elsewhere].map((peer) => peer.close()));

      assert.deepEqual([locked.status, returned.status], [503, 200]);
      assert.deepEqual(guesses, [...Array.from({ length: free }, () => 401), 503]);
    },
  );
}

sipTest(
  "authenticate() lets a registered phone with nothing that it had in while one port guesses it",
  async () => {
    await using lab = await startSipLab(onUdp);
    const peers = [1, 2, 3].map(() => peerOf(lab, "127.0.0.2"));
    const [phone, restarted, guesser] = await Promise.all(peers) as [SipPeer, SipPeer, SipPeer];
    assert.equal((await register(phone, right(await register(phone)))).status, 200);

    const challenged = await register(guesser);
    for (let n = 0; n < 4 * freeOfLogin; n++) await register(guesser, wrong(challenged));
    const locked = await register(guesser, right(await register(guesser)));
    const own = { callId: "after-a-restart", contact: "sip:alice@192.168.1.9:5070" };
    const returned = await register(restarted, right(await register(restarted, [], own)), own);
    await Promise.all([phone, restarted, guesser].map((peer) => peer.close()));

    assert.deepEqual([locked.status, returned.status], [503, 200]);
  },
);

sipTest(
  "authenticate() asks a phone whose address changed to answer again, as often as it does",
  async () => {
    await using lab = await startSipLab(onUdp);
    const peers = await Promise.all(
      [2, 3, 4, 5, 6, 7, 8, 9].map((n) => peerOf(lab, `127.0.0.${n}`)),
    );

    const statuses: unknown[] = [];
    let challenged = await register(peers[0]!);
    for (const moved of peers.slice(1)) {
      const stale = await register(moved, right(challenged));
      assert.match(valueOf(stale, "www-authenticate"), /stale=true/);
      statuses.push(stale.status, (await register(moved, right(stale))).status);
      challenged = stale;
    }
    await Promise.all(peers.map((peer) => peer.close()));

    assert.deepEqual(statuses, peers.slice(1).flatMap(() => [401, 200]));
  },
);
