import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { encodeG711 } from "../../../sip/media/codecs/g711.ts";
import { mediaEngine } from "../../../sip/media/engine/engine.ts";
import { rtpTransport } from "../../../sip/media/transports/plain_rtp.ts";
import { systemClock } from "../../../sip/media/base/ticker.ts";
import { type Baresip, baresipTest, startBaresip } from "../../support/sip/baresip.ts";
import { testDomain } from "../../support/sip/fake_service.ts";
import {
  loudnessOf,
  plainOffer,
  type PlainSocket,
  plainSocket,
  portOf,
} from "../../support/sip/plain_peer.ts";
import { invite, type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import type { PhoneDialog } from "../../support/sip/softphone_dialog.ts";
import { tone } from "../../support/media/tone.ts";

const startLab = () =>
  startSipLab({
    engine: mediaEngine({
      transports: [rtpTransport({
        bindAddress: "127.0.0.1",
        host: "127.0.0.1",
        ports: { first: 0, last: 0 },
        now: systemClock.now,
      })],
      log: () => {},
    }),
    mediaRelay: "never",
    transports: { ports: { UDP: 0 } },
  });

const dial = (login: string, media: "anchored" | "proxied"): Script => [
  { type: "dial", legs: [invite(login)], media, timeoutS: 30, timeLimitS: 600 },
];

/** A plain phone that answers offers with its socket, and refuses REFER. */
interface Plain {
  dialog: PhoneDialog;
  socket: PlainSocket;
  /** Where it was told to send its audio. */
  sendsTo(): number;
}

function plain(dialog: PhoneDialog, socket: PlainSocket, refusal: number): Plain {
  let to = portOf(dialog.remoteSdp);
  let version = 1;
  dialog.onReinvite = (sdp) => {
    to = portOf(sdp);
    return plainOffer(socket.port, { version: ++version });
  };
  dialog.onRequest = ({ method }) => method === "REFER" ? { status: refusal } : undefined;
  return { dialog, socket, sendsTo: () => to };
}

/** Alice and bob talk, their media past the companion. */
async function talking(lab: SipLab, refusal: number) {
  const phones = [await lab.phone("alice"), await lab.phone("bob")] as const;
  const sockets = [await plainSocket(1), await plainSocket(2)] as const;
  lab.service.answer = ({ event }) =>
    event.type === "incoming" ? [{ type: "reject", status: 486 }] : [];
  // By this the companion learns that it is no browser.
  await phones[1].call("anything", { sdp: plainOffer(sockets[1].port) }).final;
  lab.service.answer = ({ event }) => {
    if (event.type === "refer") return dial("carol", "anchored");
    if (event.type !== "incoming") return [];
    return dial(/sip:(\w+)/.exec(event.uri)?.[1] ?? "", "proxied");
  };
  const call = phones[0].call("bob", { sdp: plainOffer(sockets[0].port) });
  const callee = await (await phones[1].nextCall()).answer(plainOffer(sockets[1].port));
  const caller = await call.answered;
  assert.equal(portOf(caller.remoteSdp), sockets[1].port);
  return {
    alice: plain(caller, sockets[0], refusal),
    bob: plain(callee, sockets[1], refusal),
    phone: phones[1],
  };
}

/** Says a tone all the time, where the phone was told to; the result ends it. */
function saying({ socket, sendsTo }: Plain, hz: number): () => void {
  const payload = encodeG711("PCMU", tone(hz, 0.02));
  const timer = setInterval(() => socket.send(sendsTo(), { payload }), 20);
  return () => clearInterval(timer);
}

/** The last NOTIFY of a transfer. */
async function lastNotify(dialog: PhoneDialog): Promise<string> {
  for (;;) {
    const { headers, body } = await dialog.next("NOTIFY");
    const isLast = headers.some(([name, value]) =>
      name === "subscription-state" && value.startsWith("terminated")
    );
    if (isLast) return body.trim();
  }
}

/** baresip as carol, registered, which says 900 Hz. */
async function startCarol(lab: SipLab): Promise<Baresip> {
  const carol = await startBaresip({
    login: "carol",
    domain: testDomain,
    transport: "udp",
    registrar: lab.companion.sipAddresses.get("UDP")!,
    saysHz: 900,
  });
  await lab.service.told(({ came }) => came.includes("carol"));
  return carol;
}

const refer = (dialog: PhoneDialog, headers = [`Refer-To: <sip:carol@${testDomain}>`]) =>
  dialog.request("REFER", { headers });

for (const refusal of [405, 603]) {
  baresipTest(
    `a transfer succeeds when the other plain phone refuses REFER with ${refusal}`,
    async () => {
      await using lab = await startLab();
      const { alice, bob } = await talking(lab, refusal);
      await using carol = await startCarol(lab);
      const stop = saying(alice, 1_500);
      try {
        const accepted = await refer(bob.dialog);
        const notified = await lastNotify(bob.dialog);
        const bye = await bob.dialog.ended;
        await carol.untilHears(1_500);
        const heard = loudnessOf(900, "PCMU", await alice.socket.next(60));

        assert.equal(accepted.status, 202);
        assert.equal(notified, "SIP/2.0 200 OK");
        assert.equal(bye.method, "BYE");
        assert.ok(heard > 7_000, `alice hears 900 Hz at ${heard}`);
      } finally {
        stop();
      }
      await alice.dialog.bye();
      await Promise.all([alice.socket.close(), bob.socket.close()]);
    },
  );
}

baresipTest(
  "an attended transfer joins two plain phones, one of which refuses REFER",
  async () => {
    await using lab = await startLab();
    const { alice, bob, phone } = await talking(lab, 405);
    await using carol = await startCarol(lab);
    const socket = await plainSocket(3);
    const consultation = await phone.call("carol", { sdp: plainOffer(socket.port) }).answered;
    const asking = plain(consultation, socket, 405);
    assert.match(consultation.remoteSdp, /^a=tool:baresip/m);
    const stops = [saying(alice, 1_500), saying(asking, 600)];
    try {
      await carol.untilHears(600);
      const accepted = await refer(bob.dialog, [
        `Refer-To: <sip:carol@${testDomain}?Replaces=${consultation.replaces}>`,
      ]);
      assert.equal(accepted.status, 202);
      const notified = await lastNotify(bob.dialog);
      const byes = await Promise.all([bob.dialog.ended, consultation.ended]);
      await carol.untilHears(1_500);
      const heard = loudnessOf(900, "PCMU", await alice.socket.next(60));

      assert.equal(notified, "SIP/2.0 200 OK");
      assert.deepEqual(byes.map(({ method }) => method), ["BYE", "BYE"]);
      assert.ok(heard > 7_000, `alice hears 900 Hz at ${heard}`);
    } finally {
      for (const stop of stops) stop();
    }
    await alice.dialog.bye();
    await Promise.all([alice.socket.close(), bob.socket.close(), socket.close()]);
  },
);

sipTest(
  "a transfer that fails leaves two plain phones talking, one of which refused REFER",
  async () => {
    await using lab = await startLab();
    const { alice, bob } = await talking(lab, 405);

    await refer(bob.dialog);
    const notified = await lastNotify(bob.dialog);
    const stops = [saying(alice, 1_500), saying(bob, 900)];
    const [atAlice, atBob] = await Promise.all([alice.socket.next(60), bob.socket.next(60)]);
    for (const stop of stops) stop();

    assert.equal(notified, "SIP/2.0 480 Temporarily Unavailable");
    assert.ok(loudnessOf(900, "PCMU", atAlice) > 7_000);
    assert.ok(loudnessOf(1_500, "PCMU", atBob) > 7_000);
    await alice.dialog.bye();
    await bob.dialog.ended;
    await Promise.all([alice.socket.close(), bob.socket.close()]);
  },
);

sipTest(
  "a transfer is refused when a plain phone takes neither REFER nor other media",
  async () => {
    await using lab = await startLab();
    const { alice, bob } = await talking(lab, 405);
    const { onRequest } = alice.dialog;
    alice.dialog.onRequest = (request) =>
      request.method === "INVITE" ? { status: 488 } : onRequest(request);

    await refer(bob.dialog);
    const notified = await lastNotify(bob.dialog);

    assert.match(notified, /^SIP\/2\.0 405 /);
    assert.equal((await bob.dialog.request("INFO")).status, 200);
    await alice.dialog.bye();
    await bob.dialog.ended;
    await Promise.all([alice.socket.close(), bob.socket.close()]);
  },
);

sipTest("a phone that leaves the dialog at a REFER gets no transfer", async () => {
  await using lab = await startLab();
  const { alice, bob } = await talking(lab, 481);

  const refused = await refer(bob.dialog);

  assert.equal(refused.status, 500);
  await alice.dialog.bye();
  await Promise.all([alice.socket.close(), bob.socket.close()]);
});
