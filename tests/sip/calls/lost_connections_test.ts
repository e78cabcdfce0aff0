import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { invite, inviteScript, type SipLab, sipTest } from "../../support/sip/sip_lab.ts";
import type { SipLabOptions } from "../../support/sip/sip_lab.ts";
import type { SipPeer } from "../../support/sip/sip_peer.ts";
import { authorization } from "../../support/sip/softphone_line.ts";
import {
  answeredIds,
  calledIds,
  type DialogIds,
  finalOn,
  openCarrier,
  requestOn,
  type StreamCarrier,
  type StreamProtocol,
} from "../../support/sip/stream_carrier.ts";
import { uriIn, valueOf } from "../../support/sip/sip_text.ts";
import {
  callScript,
  peerSdp,
  startTrunkLab,
  trunkInvitation,
} from "../../support/sip/trunk_peer.ts";
import { certificateFiles, testAuthority } from "../../support/process/test_certificates.ts";

/** So long that no test waits for its end. */
const longMs = 600_000;

const number = "+14155550101";

/** A companion whose trunks are at addresses of the loopback; those of a call get this script. */
async function startLab(options: SipLabOptions = {}, script: Script = talk) {
  const files = await certificateFiles();
  const lab = await startTrunkLab({
    transports: {
      ports: { UDP: 0, TCP: 0, TLS: 0 },
      certificate: files.certificate,
      caCerts: [testAuthority],
    },
    trustedSources: ["127.0.0.1", "127.0.0.2"],
    reconnectGraceMs: longMs,
    ...options,
  });
  lab.service.answer = () => script;
  lab.service.trunks.number = () => ({
    accountSid: `AC${"0".repeat(32)}`,
    numberSid: `PN${"0".repeat(32)}`,
    dialled: number,
    allowed: true,
  });
  return {
    ...lab,
    async [Symbol.asyncDispose]() {
      await lab[Symbol.asyncDispose]();
      await files[Symbol.asyncDispose]();
    },
  };
}

const talk: Script = [{ type: "answer" }, { type: "silence", seconds: 600 }];

/** Closes a connection; the companion answers on another one once it has seen that. */
async function closeSeen(carrier: StreamCarrier, peer: SipPeer): Promise<void> {
  await peer.close();
  const other = await carrier.connect();
  const [from, to] = ["<sip:a@x.test>;tag=a", "<sip:sip.test>"];
  other.send(carrier.request("OPTIONS", "sip:sip.test", { from, to, callId: "ping", cseq: 1 }));
  await finalOn(other);
}

/** A call that is up, its first connection, and what requests of the carrier in it say. */
interface Up {
  leg: string;
  peer: SipPeer;
  ids: DialogIds & { target: string };
}

interface Way {
  /** How the call came about. */
  begin(lab: SipLab, carrier: StreamCarrier, lines?: string[]): Promise<Up>;
}

const ways: Record<"that comes" | "that leaves", Way> = {
  "that comes": {
    async begin(lab, carrier, lines = []) {
      const peer = await carrier.connect();
      const ids = { from: "<sip:a@x.test>;tag=a", to: `<sip:${number}@sip.test>`, callId: "in" };
      const target = `sip:${number}@sip.test`;
      peer.send(carrier.request("INVITE", target, { ...ids, cseq: 1 }, { lines, sdp: peerSdp }));
      const answered = await finalOn(peer);
      assert.equal(answered.status, 200);
      const inside = calledIds(answered);
      peer.send(carrier.request("ACK", inside.target, { ...inside, cseq: 1 }));
      const { leg } = await lab.service.event("answered");
      return { leg, peer, ids: inside };
    },
  },
  "that leaves": {
    async begin(lab, carrier, lines = []) {
      const invitation = trunkInvitation([carrier.route]);
      await lab.run(invitation.leg, callScript(invitation));
      const peer = await carrier.accepted();
      const invite = await requestOn(peer, "INVITE");
      carrier.respond(peer, invite, 200, peerSdp, lines);
      await requestOn(peer, "ACK");
      await lab.service.event("answered", invitation.leg);
      return { leg: invitation.leg, peer, ids: answeredIds(invite) };
    },
  },
};

for (const protocol of ["TCP", "TLS"] as const satisfies StreamProtocol[]) {
  for (const [direction, { begin }] of Object.entries(ways)) {
    const what = `a call ${direction} by ${protocol}`;

    sipTest(`${what} is ended by a new connection once its own has closed`, async () => {
      await using lab = await startLab();
      await using carrier = await openCarrier(lab, protocol);
      const { leg, peer } = await begin(lab, carrier);

      await peer.close();
      await lab.run(leg, [{ type: "hangup" }]);
      const again = await carrier.accepted();
      const bye = await requestOn(again, "BYE");
      carrier.respond(again, bye, 200);

      assert.equal(uriIn(bye.start.split(" ")[1]!), carrier.contact);
      assert.equal((await lab.service.disconnectionOf(leg)).cause, "request");
    });

    sipTest(`${what} goes on after the time for reconnecting, by a new connection`, async () => {
      await using lab = await startLab({ reconnectGraceMs: 50 });
      await using carrier = await openCarrier(lab, protocol);
      const { leg, peer, ids } = await begin(lab, carrier);

      await peer.close();
      const again = await carrier.accepted();
      again.send(carrier.request("INFO", ids.target, ids));
      const info = await finalOn(again);
      again.send(carrier.request("BYE", ids.target, { ...ids, cseq: ids.cseq + 1 }));
      const bye = await finalOn(again);

      assert.deepEqual([info.status, bye.status], [200, 200]);
      assert.deepEqual(await lab.service.disconnectionOf(leg), { by: "remote", cause: "bye" });
    });

    sipTest(`${what} takes requests by another connection of the carrier`, async () => {
      await using lab = await startLab();
      await using carrier = await openCarrier(lab, protocol);
      const { leg, peer, ids } = await begin(lab, carrier);

      await peer.close();
      const again = await carrier.connect();
      const say = async (method: string, cseq: number, sdp?: string, lines: string[] = []) => {
        const more = { lines, ...sdp === undefined ? {} : { sdp } };
        again.send(carrier.request(method, ids.target, { ...ids, cseq }, more));
        const { status } = await finalOn(again);
        if (method === "INVITE") {
          again.send(carrier.request("ACK", ids.target, { ...ids, cseq }));
        }
        return status;
      };
      const statuses = [
        await say("INVITE", 11, peerSdp),
        await say("UPDATE", 12, peerSdp),
        await say("INFO", 13),
        await say("OPTIONS", 14),
        await say("REFER", 15, undefined, ["Refer-To: <sip:bob@sip.test>"]),
      ];
      await lab.run(leg, [{ type: "hangup" }]);
      const bye = await requestOn(again, "BYE");
      carrier.respond(again, bye, 200);

      // REFER is refused, as there is nobody that the caller talks to.
      assert.deepEqual(statuses, [200, 200, 200, 200, 403]);
      await lab.service.event("ended", leg);
    });

    for (const [by, lines] of [["UPDATE", ["Allow: UPDATE"]], ["INVITE", []]] as const) {
      sipTest(`${what} is refreshed by ${by} on a new connection`, async () => {
        await using lab = await startLab({ sessionBounds: { expiresS: 4, minSeS: 1 } });
        await using carrier = await openCarrier(lab, protocol);
        const timer = direction === "that comes" ? "uas" : "uac";
        const { leg, peer } = await begin(lab, carrier, [
          ...lines,
          "Supported: timer",
          `Session-Expires: 4;refresher=${timer}`,
        ]);

        await peer.close();
        const again = await carrier.accepted();
        const refresh = await requestOn(again, by);
        carrier.respond(again, refresh, 200, by === "INVITE" ? peerSdp : undefined);
        if (by === "INVITE") await requestOn(again, "ACK");
        await lab.run(leg, [{ type: "hangup" }]);
        carrier.respond(again, await requestOn(again, "BYE"), 200);

        assert.match(valueOf(refresh, "session-expires"), /;refresher=uac$/);
      });
    }

    sipTest(`${what} is transferred by REFER on a new connection`, async () => {
      await using lab = await startLab();
      await using carrier = await openCarrier(lab, protocol);
      const { leg, peer } = await begin(lab, carrier);

      await closeSeen(carrier, peer);
      await lab.run(leg, [{ type: "refer", to: "sip:bob@sip.test", leaves: false }]);
      const again = await carrier.accepted();
      const refer = await requestOn(again, "REFER");
      carrier.respond(again, refer, 603);
      const { event } = await lab.service.event("referred", leg);

      await lab.run(leg, [{ type: "hangup" }]);
      carrier.respond(again, await requestOn(again, "BYE"), 200);
      assert.equal(valueOf(refer, "refer-to"), "<sip:bob@sip.test>");
      assert.equal(event.sipStatus, 603);
    });

    sipTest(`${what} whose peer is silent is probed by OPTIONS on a new connection`, async () => {
      await using lab = await startLab();
      await using carrier = await openCarrier(lab, protocol);
      const { leg, peer } = await begin(lab, carrier);

      await closeSeen(carrier, peer);
      lab.media.legs.at(-1)!.beQuiet(25_000);
      const again = await carrier.accepted();
      carrier.respond(again, await requestOn(again, "OPTIONS"), 200);
      await lab.run(leg, [{ type: "hangup" }]);
      carrier.respond(again, await requestOn(again, "BYE"), 200);
      await lab.service.event("ended", leg);
    });

    sipTest(
      `${what} says BYE once more where its connection closes without a response`,
      async () => {
        await using lab = await startLab();
        await using carrier = await openCarrier(lab, protocol);
        const { leg, peer } = await begin(lab, carrier);

        await lab.run(leg, [{ type: "hangup" }]);
        await requestOn(peer, "BYE");
        await peer.close();
        const again = await carrier.accepted();
        carrier.respond(again, await requestOn(again, "BYE"), 200);
        await lab.service.event("ended", leg);
      },
    );
  }

  sipTest(
    `a caller by ${protocol} whose connection closed is answered by another one`,
    async () => {
      const script = Promise.withResolvers<Script>();
      await using lab = await startLab({ reconnectGraceMs: 20 });
      lab.service.answer = () => script.promise;
      await using carrier = await openCarrier(lab, protocol);
      const first = await carrier.connect();
      const ids = { from: "<sip:a@x.test>;tag=a", to: `<sip:${number}@sip.test>`, callId: "gone" };
      first.send(carrier.request("INVITE", `sip:${number}@sip.test`, { ...ids, cseq: 1 }, {
        sdp: peerSdp,
      }));
      const { leg } = await lab.service.event("incomingNumber");

      await first.close();
      const second = await carrier.connect(); // Shows that the companion has seen the close.
      second.send(carrier.request("OPTIONS", "sip:sip.test", { ...ids, callId: "ping", cseq: 1 }));
      await finalOn(second);
      script.resolve(talk);
      const answering = await carrier.accepted();
      const inside = calledIds(await finalOn(answering));
      answering.send(carrier.request("ACK", inside.target, { ...inside, cseq: 1 }));
      await lab.service.event("answered", leg);
      answering.send(carrier.request("BYE", inside.target, inside));

      assert.equal((await finalOn(answering)).status, 200);
    },
  );

  for (const closes of [true, false]) {
    const which = closes ? "whose connection closed" : "with two connections";
    sipTest(`a caller by ${protocol} ${which} cancels by another one`, async () => {
      const trustedSources = ["127.0.0.1", "127.0.0.2", "127.0.0.4", "127.0.1.0/24"];
      await using lab = await startLab({ trustedSources });
      lab.service.answer = () => new Promise<Script>(() => {});
      await using carrier = await openCarrier(lab, protocol);
      const first = await carrier.connect();
      const ids = { from: "<sip:a@x.test>;tag=a", to: `<sip:${number}@sip.test>`, callId: "gone" };
      const target = `sip:${number}@sip.test`;
      const inviting = carrier.request("INVITE", target, { ...ids, cseq: 1 }, { sdp: peerSdp });
      first.send(inviting);
      const { leg } = await lab.service.event("incomingNumber");
      const via = /^Via: .*$/m.exec(inviting)![0];
      const cancel = carrier.request("CANCEL", target, { ...ids, cseq: 1 }).replace(
        /^Via: .*$/m,
        via,
      );

      const others = [];
      for (const host of ["127.0.0.3", "127.0.0.4", "127.0.1.1"]) { // A stranger, and trunks.
        await using other = await openCarrier(lab, "TCP", host);
        const elsewhere = await other.connect();
        elsewhere.send(cancel);
        others.push((await finalOn(elsewhere)).status);
      }
      if (closes) await closeSeen(carrier, first);
      const second = await carrier.connect();
      second.send(cancel);
      const cancelled = await finalOn(second);
      const refused = await finalOn(closes ? await carrier.accepted() : first);

      assert.deepEqual(others, [481, 481, 481]);
      assert.deepEqual([cancelled.status, refused.status], [200, 487]);
      assert.equal(valueOf(refused, "cseq"), "1 INVITE");
      assert.deepEqual(await lab.service.disconnectionOf(leg), { by: "remote", cause: "cancel" });
    });
  }

  sipTest(
    `a callee by ${protocol} that rings without a connection answers by another`,
    async () => {
      await using lab = await startLab({ reconnectGraceMs: 20 });
      await using carrier = await openCarrier(lab, protocol);
      const invitation = trunkInvitation([carrier.route]);
      await lab.run(invitation.leg, callScript(invitation));
      const first = await carrier.accepted();
      const inviting = await requestOn(first, "INVITE");
      carrier.respond(first, inviting, 180);
      await lab.service.event("ringing", invitation.leg);

      await first.close();
      const again = await carrier.accepted(); // After the time for reconnecting.
      const own = await carrier.connect();
      carrier.respond(own, inviting, 200, peerSdp);
      await requestOn(again, "ACK");
      await closeSeen(carrier, again);
      carrier.respond(own, inviting, 200, peerSdp); // A repeat, since its ACK may be lost.
      await requestOn(own, "ACK");
      await lab.service.event("answered", invitation.leg);
      const ids = answeredIds(inviting);
      own.send(carrier.request("BYE", ids.target, ids));

      assert.equal((await finalOn(own)).status, 200);
    },
  );

  sipTest(`a callee by ${protocol} that rings without a connection is cancelled`, async () => {
    await using lab = await startLab();
    await using carrier = await openCarrier(lab, protocol);
    const invitation = trunkInvitation([carrier.route]);
    await lab.run(invitation.leg, callScript(invitation));
    const first = await carrier.accepted();
    const inviting = await requestOn(first, "INVITE");
    carrier.respond(first, inviting, 180);
    await lab.service.event("ringing", invitation.leg);

    await first.close();
    await lab.run(invitation.leg, [{ type: "hangup" }]);
    const again = await carrier.accepted();
    const cancel = await requestOn(again, "CANCEL");
    carrier.respond(again, cancel, 200);
    carrier.respond(again, inviting, 487);
    await requestOn(again, "ACK");

    assert.equal(valueOf(cancel, "via"), valueOf(inviting, "via"));
  });
}

sipTest("the other side's BYE reaches a trunk whose connection has closed", async () => {
  await using lab = await startLab();
  await using carrier = await openCarrier(lab, "TCP");
  const child = trunkInvitation([carrier.route]);
  lab.service.answer = () => [
    { type: "dial", legs: [child], media: "anchored", timeoutS: 20, timeLimitS: 60 },
  ];
  const alice = await lab.phone("alice");
  const calling = alice.call(child.to);
  const peer = await carrier.accepted();
  carrier.respond(peer, await requestOn(peer, "INVITE"), 200, peerSdp);
  await requestOn(peer, "ACK");
  const dialog = await calling.answered;

  await peer.close();
  const parted = dialog.bye();
  const again = await carrier.accepted();
  carrier.respond(again, await requestOn(again, "BYE"), 200);
  await parted;
});

sipTest("a call goes along its route set, whatever its Contact says", async () => {
  await using lab = await startLab();
  await using carrier = await openCarrier(lab, "TCP");
  await using proxy = await openCarrier(lab, "TCP");
  const route = `<${proxy.contact};lr>`;
  const { leg, peer } = await ways["that comes"].begin(lab, carrier, [`Record-Route: ${route}`]);

  await peer.close();
  await lab.run(leg, [{ type: "hangup" }]);
  const again = await proxy.accepted();
  const bye = await requestOn(again, "BYE");
  proxy.respond(again, bye, 200);

  assert.equal(valueOf(bye, "route"), route);
  assert.equal(bye.start, `BYE ${carrier.contact} SIP/2.0`);
});

sipTest("a softphone that comes back hears of the end that it missed", async () => {
  await using lab = await startLab({ reconnectGraceMs: 300 });
  const instance = crypto.randomUUID();
  const phone = await lab.phone("alice", { instance });
  const invitation = invite("alice");
  await lab.run(invitation.leg, inviteScript(invitation));
  await (await phone.nextCall()).answer();
  await lab.service.event("answered", invitation.leg);

  await phone.close();
  await lab.run(invitation.leg, [{ type: "hangup" }]);
  const again = await lab.phone("alice", { instance });

  assert.equal((await again.nextMessage()).method, "BYE");
});

sipTest("a desk phone by TCP whose Contact is reachable gets BYE by a new connection", async () => {
  await using lab = await startLab();
  await using phone = await openCarrier(lab, "TCP", "127.0.0.3");
  const first = await phone.connect();
  const ids = { from: "<sip:alice@sip.test>;tag=1", to: "<sip:alice@sip.test>", callId: "reg" };
  first.send(phone.request("REGISTER", "sip:sip.test", { ...ids, cseq: 1 }));
  const challenged = await finalOn(first);
  const login = { login: "alice", password: "alice-secret" };
  const proof = authorization(login, { challenged, method: "REGISTER", uri: "sip:sip.test" });
  first.send(phone.request("REGISTER", "sip:sip.test", { ...ids, cseq: 2 }, { lines: [proof] }));
  assert.equal((await finalOn(first)).status, 200);
  const invitation = invite("alice");
  await lab.run(invitation.leg, inviteScript(invitation));
  const inviting = await requestOn(first, "INVITE");
  phone.respond(first, inviting, 200, peerSdp);
  await lab.service.event("answered", invitation.leg);

  await first.close();
  await lab.run(invitation.leg, [{ type: "hangup" }]);
  const again = await phone.accepted();
  const bye = await requestOn(again, "BYE");
  phone.respond(again, bye, 200);

  assert.equal(bye.start, `BYE ${phone.contact} SIP/2.0`);
});
