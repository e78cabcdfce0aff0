import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import {
  type BurstPeer,
  type BurstProtocol,
  calledOf,
  callOf,
  openBurstPeer,
} from "../../support/sip/burst_peer.ts";
import { invite, inviteScript, type SipLab, sipTest } from "../../support/sip/sip_lab.ts";
import { peerRequest, peerResponse } from "../../support/sip/sip_peer.ts";
import { branchOf, readSip, type SipText, valueOf } from "../../support/sip/sip_text.ts";
import { authorization } from "../../support/sip/softphone_line.ts";
import { peerSdp, startTrunkLab } from "../../support/sip/trunk_peer.ts";

/** Messages that came together, whose handling nothing comes between: no microtask either. */

const login = { login: "alice", password: "alice-secret" };
const target = "sip:anything@sip.test";
const answering: Script = [{ type: "answer" }, { type: "silence", seconds: 60 }];
const held = `${peerSdp}a=sendonly\r\n`;

interface Lab {
  lab: SipLab;
  alice: BurstPeer;
  /** Sends what makes the next INVITE be let in, and returns that. */
  invited(): Promise<{ text: string; sent: SipText }>;
}

/** Alice is registered from a peer of each kind. */
function burstTest(name: string, body: (lab: Lab) => Promise<void>): void {
  for (const protocol of ["UDP", "TCP", "WS"] as const) {
    sipTest(`${name}: ${protocol}`, async () => {
      await using lab = await startTrunkLab();
      const alice = await registered(lab, protocol);
      lab.service.answer = () => answering;
      try {
        await body({ lab, alice, invited: () => invited(alice) });
      } finally {
        await alice.close();
      }
    });
  }
}

async function registered(lab: SipLab, protocol: BurstProtocol): Promise<BurstPeer> {
  const peer = await openBurstPeer(protocol, lab.companion.sipAddresses.get(protocol)!);
  const uri = "sip:sip.test";
  const register = (cseq: number, headers: string[] = []) =>
    peerRequest("REGISTER", protocol, peer.port, {
      from: "<sip:alice@sip.test>;tag=alice",
      to: "<sip:alice@sip.test>",
      callId: "register",
      cseq,
      headers,
    });
  peer.burst(register(1));
  const challenged = await peer.next();
  peer.burst(register(2, [authorization(login, { challenged, method: "REGISTER", uri })]));
  assert.equal((await peer.next()).status, 200);
  return peer;
}

let calls = 0;

async function invited(peer: BurstPeer): Promise<{ text: string; sent: SipText }> {
  const callId = `burst-${++calls}`;
  const write = (method: string, wanted: Parameters<typeof peerRequest>[3]) =>
    peerRequest(method, peer.protocol, peer.port, {
      target,
      callId,
      from: "<sip:alice@sip.test>;tag=caller",
      ...wanted,
    });
  const branch = `z9hG4bK${crypto.randomUUID()}`;
  peer.burst(write("INVITE", { cseq: 1, branch, sdp: peerSdp }));
  const challenged = await peer.until(({ status }) => status === 407);
  peer.burst(write("ACK", { cseq: 1, branch, to: valueOf(challenged, "to") }));
  const proof = authorization(login, { challenged, method: "INVITE", uri: target });
  const text = write("INVITE", { cseq: 2, headers: [proof], sdp: peerSdp });
  return { text, sent: readSip(text) };
}

const isFinal = (method: string, cseq?: number) => (message: SipText): boolean =>
  (message.status ?? 0) >= 200 &&
  valueOf(message, "cseq").endsWith(cseq === undefined ? ` ${method}` : `${cseq} ${method}`);

/** The final responses to these, whichever comes first. */
async function finals(
  peer: BurstPeer,
  wanted: [method: string, cseq: number][],
): Promise<(number | undefined)[]> {
  const found = new Map<string, number | undefined>();
  while (found.size < wanted.length) {
    const message = await peer.next();
    const one = wanted.find(([method, cseq]) => isFinal(method, cseq)(message));
    if (one !== undefined) found.set(one.join(), message.status);
  }
  return wanted.map((one) => found.get(one.join()));
}

/** Alice in a call that was answered, without her ACK. */
async function answered({ lab, alice, invited }: Lab) {
  const { text, sent } = await invited();
  alice.burst(text);
  const final = await alice.until(isFinal("INVITE", 2));
  assert.equal(final.status, 200);
  const { leg } = await lab.service.event("incoming");
  return { leg, sent, call: callOf(alice, sent, final) };
}

burstTest("receive() cancels a call whose CANCEL comes with it", async (one) => {
  const { lab, alice } = one;
  const { text, sent } = await one.invited();
  const { request } = callOf(alice, sent, sent);

  alice.burst(text, request("CANCEL", { cseq: 2, branch: branchOf(sent) }));
  const statuses = await finals(alice, [["CANCEL", 2], ["INVITE", 2]]);

  assert.deepEqual(statuses, [200, 487]);
  assert.deepEqual(lab.media.legs.filter(({ closed }) => !closed), []);
});

burstTest("receive() takes an INVITE once that comes with its repetition", async (one) => {
  const { lab, alice } = one;
  const { text, sent } = await one.invited();

  alice.burst(text, text, text);
  const final = await alice.until(isFinal("INVITE", 2));
  const call = callOf(alice, sent, final);
  alice.burst(call.request("ACK", { cseq: 2 }), call.request("BYE", { cseq: 3 }));
  await alice.until(isFinal("BYE", 3));
  await lab.service.event("ended");

  assert.equal(final.status, 200);
  assert.equal(lab.service.reports.filter(({ event }) => event.type === "incoming").length, 1);
});

burstTest(
  "receive() ends a call whose BYE comes with the ACK, and what comes after",
  async (one) => {
    const { lab, alice } = one;
    const { leg, call } = await answered(one);

    alice.burst(
      call.request("ACK", { cseq: 2 }),
      call.request("BYE", { cseq: 3 }),
      call.request("INVITE", { cseq: 4, sdp: held }),
      call.request("UPDATE", { cseq: 5 }),
    );
    const statuses = await finals(alice, [["BYE", 3], ["INVITE", 4], ["UPDATE", 5]]);
    const { event } = await lab.service.event("ended", leg);

    assert.deepEqual(statuses, [200, 481, 481]);
    assert.deepEqual(event, { type: "ended", outcome: "completed" });
  },
);

burstTest("answerUpdate() refuses an offer that comes with a re-INVITE", async (one) => {
  const { lab, alice } = one;
  const { leg, call } = await answered(one);

  alice.burst(
    call.request("ACK", { cseq: 2 }),
    call.request("INVITE", { cseq: 3, sdp: held }),
    call.request("UPDATE", { cseq: 4, sdp: peerSdp }),
    call.request("INFO", { cseq: 5 }),
  );
  const statuses = await finals(alice, [["INVITE", 3], ["UPDATE", 4], ["INFO", 5]]);
  alice.burst(call.request("ACK", { cseq: 3 }), call.request("UPDATE", { cseq: 6, sdp: peerSdp }));
  const later = await alice.until(isFinal("UPDATE", 6));
  alice.burst(call.request("BYE", { cseq: 7 }));
  await alice.until(isFinal("BYE", 7));
  const { event } = await lab.service.event("ended", leg);

  assert.deepEqual(statuses, [200, 500, 200]);
  assert.equal(later.status, 200);
  assert.deepEqual(event, { type: "ended", outcome: "completed" });
});

burstTest("receive() answers a re-INVITE whose call ends with it", async (one) => {
  const { lab, alice } = one;
  const { leg, call } = await answered(one);

  alice.burst(
    call.request("ACK", { cseq: 2 }),
    call.request("INVITE", { cseq: 3, sdp: held }),
    call.request("BYE", { cseq: 4 }),
  );
  const [offered, ended] = await finals(alice, [["INVITE", 3], ["BYE", 4]]);
  const { event } = await lab.service.event("ended", leg);

  assert.equal(ended, 200);
  // Which of the two it is, RFC 3261 §15.1.2 leaves open.
  assert.ok(offered === 200 || offered === 487, `${offered}`);
  assert.deepEqual(event, { type: "ended", outcome: "completed" });
});

burstTest("receive() refuses what comes with a re-INVITE and an older number", async (one) => {
  const { alice } = one;
  const { call } = await answered(one);

  alice.burst(
    call.request("ACK", { cseq: 2 }),
    call.request("INVITE", { cseq: 9, sdp: held }),
    call.request("INFO", { cseq: 8 }),
    call.request("BYE", { cseq: 10 }),
  );
  const statuses = await finals(alice, [["INFO", 8], ["BYE", 10]]);

  assert.deepEqual(statuses, [500, 200]);
});

burstTest("receive() answers a BYE whose ACK was lost, and its repetition", async (one) => {
  const { lab, alice } = one;
  const { leg, call } = await answered(one);
  const bye = call.request("BYE", { cseq: 3 });

  alice.burst(bye, bye);
  const first = await alice.until(isFinal("BYE", 3));
  // Only where messages are lost is there a repetition; elsewhere it comes when all is over.
  const second = await alice.until(isFinal("BYE", 3));
  const { event } = await lab.service.event("ended", leg);

  assert.equal(first.status, 200);
  assert.equal(second.status, alice.protocol === "UDP" ? 200 : 481);
  assert.deepEqual(event, { type: "ended", outcome: "completed" });
});

/** The INVITE that comes to alice, and what she answers with. */
async function called({ lab, alice }: Lab) {
  lab.service.answer = ({ event }) =>
    event.type === "answered" ? [{ type: "silence", seconds: 60 }] : [];
  const invitation = invite("alice");
  await (await lab.run(invitation.leg, inviteScript(invitation))).body?.cancel();
  const came = await alice.until(({ method }) => method === "INVITE");
  const answer = (status: number, tag = "callee", of = came) =>
    peerResponse(of, status, {
      tag,
      headers: [`Contact: <sip:${tag}@127.0.0.1:${alice.port}>`],
      ...status === 200 && of === came && { sdp: peerSdp },
    });
  return { leg: invitation.leg, came, answer, call: calledOf(alice, came) };
}

const isMethod = (wanted: string) => ({ method }: SipText) => method === wanted;

burstTest("createFork() ends a call whose BYE comes with its answer", async (one) => {
  const { lab, alice } = one;
  const { leg, answer, call } = await called(one);

  alice.burst(answer(180), answer(200), call.request("BYE", { cseq: 1 }));
  const bye = await alice.until(isFinal("BYE", 1));
  const { event } = await lab.service.event("ended", leg);

  assert.equal(bye.status, 200);
  assert.equal(alice.heard.filter(isMethod("ACK")).length, 1);
  assert.deepEqual(event, { type: "ended", outcome: "completed" });
});

burstTest(
  "createFork() acknowledges an answer and its repetition, and takes it once",
  async (one) => {
    const { lab, alice } = one;
    const { leg, answer, call } = await called(one);

    alice.burst(answer(200), answer(200));
    await alice.until(isMethod("ACK"));
    await alice.until(isMethod("ACK"));
    await lab.service.event("answered", leg);
    alice.burst(call.request("BYE", { cseq: 1 }));
    await alice.until(isFinal("BYE", 1));
    await lab.service.event("ended", leg);

    // A report that wanted a script is told again, as news, once its call is over.
    const told = new Map(
      lab.service.reports.filter((report) => report.leg === leg)
        .map(({ seq, event }) => [seq, event.type]),
    );
    assert.deepEqual([...told], [[0, "inviting"], [1, "answered"], [2, "ended"]]);
  },
);

burstTest("createFork() takes one of two answers that come together", async (one) => {
  const { lab, alice } = one;
  const { leg, answer, call } = await called(one);

  alice.burst(answer(183, "other"), answer(200), answer(200, "other"));
  const bye = await alice.until(isMethod("BYE"));
  alice.burst(answer(200, "other", bye));
  await lab.service.event("answered", leg);
  alice.burst(call.request("BYE", { cseq: 1 }));
  await alice.until(isFinal("BYE", 1));
  const { event } = await lab.service.event("ended", leg);

  assert.match(valueOf(bye, "to"), /;tag=other$/);
  assert.deepEqual(event, { type: "ended", outcome: "completed" });
});

burstTest(
  "answerOffer() answers a re-INVITE and an UPDATE that come with the answer",
  async (one) => {
    const { lab, alice } = one;
    const { leg, answer, call } = await called(one);

    alice.burst(
      answer(200),
      call.request("INVITE", { cseq: 1, sdp: held }),
      call.request("UPDATE", { cseq: 2, sdp: peerSdp }),
    );
    const statuses = await finals(alice, [["INVITE", 1], ["UPDATE", 2]]);
    await lab.service.event("answered", leg);
    alice.burst(call.request("ACK", { cseq: 1 }), call.request("BYE", { cseq: 3 }));
    const bye = await alice.until(isFinal("BYE", 3));
    await lab.service.event("ended", leg);

    assert.deepEqual(statuses, [200, 500]);
    assert.equal(bye.status, 200);
  },
);

burstTest("hangup() ends a call whose answer and refusal of CANCEL come together", async (one) => {
  const { lab, alice } = one;
  const { leg, answer, came } = await called(one);

  alice.burst(answer(180));
  await lab.service.event("ringing", leg);
  await (await lab.run(leg, [{ type: "hangup" }])).body?.cancel();
  const cancel = await alice.until(isMethod("CANCEL"));
  alice.burst(answer(200), answer(481, "callee", cancel));
  const ack = await alice.until(isMethod("ACK"));
  const bye = await alice.until(isMethod("BYE"));
  alice.burst(answer(200, "callee", bye));
  const { event } = await lab.service.event("ended", leg);

  assert.equal(valueOf(ack, "call-id"), valueOf(came, "call-id"));
  assert.equal(event.outcome, "canceled");
});

burstTest("createFork() acknowledges a refusal that comes with its ringing", async (one) => {
  const { lab, alice } = one;
  const { leg, came, answer } = await called(one);

  alice.burst(answer(180), answer(486), answer(180, "late"));
  const ack = await alice.until(isMethod("ACK"));
  const { event } = await lab.service.event("ended", leg);

  assert.equal(branchOf(ack), branchOf(came));
  assert.deepEqual(event, { type: "ended", outcome: "busy", sipStatus: 486 });
});
