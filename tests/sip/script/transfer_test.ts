import assert from "node:assert/strict";
import type { LegEvent } from "../../../core/protocol/events.ts";
import type { Script } from "../../../core/protocol/script.ts";
import { invite, type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import type { PhoneDialog } from "../../support/sip/softphone_dialog.ts";
import { type SipText, valueOf } from "../../support/sip/sip_text.ts";
import { eventually } from "../../support/process/eventually.ts";

const dial = (login: string, media: "anchored" | "proxied" = "anchored"): Script => [
  { type: "dial", legs: [invite(login)], media, timeoutS: 30, timeLimitS: 60 },
];
const sdp = (name: string) => `v=0\r\no=${name} 1 1 IN IP4 127.0.0.1\r\ns=-\r\n`;
const referTo = (target: string) => ({ headers: [`Refer-To: <${target}>`] });
const action = { url: "http://app.test/done", method: "POST", hops: 0 } as const;
const carolsAddress = "sip:carol@sip.test";

/** What a script says to a report; calls are dialled by the user they name. */
const service = (lab: SipLab, media: "anchored" | "proxied", transfer: Script = dial("carol")) => {
  lab.service.answer = ({ event }) => {
    if (event.type === "refer") return transfer;
    if (event.type !== "incoming") return [];
    if (event.replaces !== undefined) return [{ type: "replace", leg: event.replaces }];
    return dial(/sip:(\w+)/.exec(event.uri)?.[1] ?? "", media);
  };
};

/** One phone calls another, which answers. */
async function talking(lab: SipLab, [from, to]: [string, string], media = "anchored") {
  const [caller, callee] = [await lab.phone(from), await lab.phone(to)];
  const call = caller.call(to, { sdp: sdp(from) });
  const answered = await (await callee.nextCall()).answer(sdp(to));
  const answer = await call.answered;
  if (media === "anchored") await joined(lab);
  return { caller: answer, callee: answered, phones: [caller, callee] as const };
}

/** The media of the two legs that were made last are joined, if they are to be. */
const joined = (lab: SipLab) => Promise.resolve(lab.media.legs.at(-1)?.joined);

/** The NOTIFYs of a transfer until the last: their sipfrags and states. */
async function progress(dialog: PhoneDialog): Promise<[body: string, state: string][]> {
  const told: [string, string][] = [];
  for (;;) {
    const notify: SipText = await dialog.next("NOTIFY");
    assert.match(valueOf(notify, "event"), /^refer;id=\d+$/);
    assert.equal(valueOf(notify, "content-type"), "message/sipfrag;version=2.0");
    const state = valueOf(notify, "subscription-state");
    told.push([notify.body.trim(), state.replace(/;expires=\d+$/, "")]);
    if (state.startsWith("terminated")) return told;
  }
}

const told = (...last: string[]): [string, string][] => [
  ["SIP/2.0 100 Trying", "active"],
  ...last.slice(0, -1).map((line): [string, string] => [line, "active"]),
  [last.at(-1) ?? "", "terminated;reason=noresource"],
];

sipTest("blind() joins the caller with whom the callee names, and lets the callee go", async () => {
  await using lab = await startSipLab();
  service(lab, "anchored");
  const { caller, callee } = await talking(lab, ["alice", "bob"]);
  const carol = await lab.phone("carol");

  const accepted = await callee.request("REFER", {
    headers: ["Refer-To: <sip:carol@sip.test?X-Ticket=7>", "Referred-By: <sip:mallory@sip.test>"],
  });
  const ringing = await carol.nextCall();
  ringing.ring();
  const target = await ringing.answer();
  const notified = await progress(callee);
  const bye = await callee.ended;
  const refer = await lab.service.event("refer");
  const incoming = await lab.service.event("incoming");
  const inviting = await lab.service.reported(({ event }) =>
    event.type === "inviting" && event.to === "client:carol"
  );

  assert.equal(accepted.status, 202);
  assert.deepEqual(notified, told("SIP/2.0 180 Ringing", "SIP/2.0 200 OK"));
  assert.equal(bye.method, "BYE");
  assert.deepEqual(refer.event, {
    type: "refer",
    other: incoming.leg,
    to: carolsAddress,
    by: "sip:bob@sip.test",
    headers: { "X-Ticket": "7" },
  });
  assert.equal((inviting.event as LegEvent & { type: "inviting" }).parent, incoming.leg);
  assert.equal(valueOf(ringing.invite, "referred-by"), "<sip:bob@sip.test>");
  const [, ofAlice, ofCarol] = lab.media.legs;
  assert.equal(ofAlice?.joined, ofCarol);
  await caller.bye();
  assert.equal((await target.ended).method, "BYE");
});

sipTest(
  "blind() lets a caller transfer its callee, and leave before that one is answered",
  async () => {
    await using lab = await startSipLab();
    service(lab, "anchored");
    const { caller, callee } = await talking(lab, ["alice", "bob"]);
    const carol = await lab.phone("carol");

    await caller.request("REFER", referTo(carolsAddress));
    const ringing = await carol.nextCall();
    await caller.bye();
    const target = await ringing.answer();
    await callee.request("INFO"); // It is still there.
    const [ofBob, , ofCarol] = lab.media.legs;
    assert.equal(ofBob?.joined, ofCarol);
    await target.bye();

    assert.equal((await callee.ended).method, "BYE");
  },
);

sipTest(
  "blind() lets go at once when the transferor leaves before the service answers",
  async () => {
    await using lab = await startSipLab();
    service(lab, "anchored");
    const { caller, callee } = await talking(lab, ["alice", "bob"]);
    const carol = await lab.phone("carol");
    const answer = Promise.withResolvers<Script>();
    lab.service.answer = ({ event }) => event.type === "refer" ? answer.promise : [];

    await callee.request("REFER", referTo(carolsAddress));
    await callee.bye();
    await lab.service.event("refer").then(() => answer.resolve(dial("carol")));
    const target = await (await carol.nextCall()).answer();
    await caller.bye();

    assert.equal((await target.ended).method, "BYE");
  },
);

for (
  const [why, script, act, line] of [
    ["whoever it names is busy", dial("carol"), 486, "SIP/2.0 486 Busy Here"],
    ["the service refuses", [{ type: "reject", status: 404 }], 0, "SIP/2.0 404 Not Found"],
    ["the service has no answer", [], 0, "SIP/2.0 603 Decline"],
  ] as [string, Script, number, string][]
) {
  sipTest(`blind() leaves the call as it was when ${why}`, async () => {
    await using lab = await startSipLab();
    service(lab, "anchored", script);
    const plain = lab.service.answer;
    lab.service.answer = async (report) => {
      const [step] = await plain(report);
      return step?.type === "dial" ? [{ ...step, action }] : step === undefined ? [] : [step];
    };
    const { caller, callee } = await talking(lab, ["alice", "bob"]);
    const carol = await lab.phone("carol");

    await callee.request("REFER", referTo(carolsAddress));
    if (act > 0) (await carol.nextCall()).decline(act);
    const notified = await progress(callee);
    const again = await callee.request("REFER", referTo(carolsAddress));

    assert.deepEqual(notified.at(-1), [line, "terminated;reason=noresource"]);
    assert.ok(lab.media.legs[0]?.joined);
    assert.equal(again.status, 202);
    if (act > 0) (await carol.nextCall()).decline(act);
    await progress(callee);
    await callee.bye();
    const { wantsScript } = await lab.service.event("dialled");
    assert.equal(wantsScript, true, "the caller's script does not go on");
    assert.equal((await caller.ended).method, "BYE");
  });
}

sipTest("blind() leaves the call as it was when the service is out of reach", async () => {
  await using lab = await startSipLab();
  service(lab, "anchored");
  const { caller, callee } = await talking(lab, ["alice", "bob"]);

  const { leg } = await lab.service.event("inviting");
  await lab.service.event("answered", leg);
  lab.service.outage = 503;
  await callee.request("REFER", referTo(carolsAddress));
  const notified = await progress(callee);
  lab.service.outage = undefined;
  await lab.service.event("refer");

  assert.deepEqual(notified, told("SIP/2.0 503 Service Unavailable"));
  assert.equal((await caller.bye()).status, 200);
  assert.equal((await callee.ended).method, "BYE");
});

sipTest("blind() runs a script that is no call at once", async () => {
  await using lab = await startSipLab({ slowMedia: true });
  service(lab, "anchored", [{ type: "play", url: "http://a.test/1", loop: 1 }]);
  const { caller, callee } = await talking(lab, ["alice", "bob"]);

  await callee.request("REFER", referTo("tel:+15550001"));
  const notified = await progress(callee);
  await callee.bye();
  const { event } = await lab.service.event("refer");
  const playing = lab.media.legs.find(({ played }) => played.length > 0);
  playing?.finishPlaying();

  assert.deepEqual(notified, told("SIP/2.0 200 OK"));
  assert.equal(event.to, "tel:+15550001");
  assert.equal((await caller.ended).method, "BYE");
});

sipTest("blind() tells nothing to a transferor who does not want to hear (RFC 4488)", async () => {
  await using lab = await startSipLab();
  service(lab, "anchored");
  const { caller, callee } = await talking(lab, ["alice", "bob"]);
  const carol = await lab.phone("carol");
  let notified = 0;
  callee.onRequest = ({ method }) => (method === "NOTIFY" && notified++, undefined);

  const accepted = await callee.request("REFER", {
    headers: [`Refer-To: <${carolsAddress}>`, "Refer-Sub: false", "Supported: norefersub"],
  });
  const target = await (await carol.nextCall()).answer();
  await callee.ended;
  await caller.bye();
  await target.ended;

  assert.equal(valueOf(accepted, "refer-sub"), "false");
  assert.equal(notified, 0);
});

sipTest("onRefer() refuses what cannot be transferred", async () => {
  await using lab = await startSipLab();
  service(lab, "anchored");
  const alice = await lab.phone("alice");
  const bob = await lab.phone("bob");
  const early = alice.call("bob");
  (await bob.nextCall()).ring();
  const whileRinging = await early.early(
    "REFER",
    await early.ringing,
    referTo(carolsAddress).headers,
  );
  await early.cancel();
  const { caller } = await talking(lab, ["alice", "bob"]);
  const statusTo = async (...headers: string[]) =>
    (await caller.request("REFER", { headers })).status;

  assert.equal(whileRinging.status, 403);
  assert.equal(await statusTo(), 400);
  assert.equal(await statusTo("Refer-To: <sip:a@x.test>", "Refer-To: <sip:b@x.test>"), 400);
  assert.equal(await statusTo("Refer-To: <sip:@>"), 400);
  assert.equal(await statusTo("Refer-To: <http://x.test/>"), 416);
  assert.equal(await statusTo("Refer-To: <sip:carol@sip.test;method=BYE>"), 403);
  assert.equal(await statusTo("Refer-To: <sip:carol@sip.test?Replaces=1>"), 400);
  lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];
  const alone = await alice.call("menu").answered;
  assert.equal((await alone.request("REFER", referTo(carolsAddress))).status, 403);
});

sipTest("onRefer() refuses a second transfer while one is under way", async () => {
  await using lab = await startSipLab();
  service(lab, "anchored");
  const { callee } = await talking(lab, ["alice", "bob"]);
  const carol = await lab.phone("carol");

  await callee.request("REFER", referTo(carolsAddress));
  const ringing = await carol.nextCall();
  const second = await callee.request("REFER", referTo(carolsAddress));
  ringing.decline(486);

  assert.equal(second.status, 491);
});

/** Alice and Bob talk; Bob asks Carol in another call. */
async function consulting(lab: SipLab, first: "anchored" | "proxied", second = first) {
  service(lab, first);
  const { caller, callee, phones: [, bob] } = await talking(lab, ["alice", "bob"], first);
  service(lab, second);
  const carol = await lab.phone("carol");
  const call = bob.call("carol", { sdp: sdp("bob") });
  const asked = await (await carol.nextCall()).answer(sdp("carol"));
  const consultation = await call.answered;
  return { caller, callee, consultation, asked, carol };
}

const replacing = (dialog: PhoneDialog) => referTo(`${carolsAddress}?Replaces=${dialog.replaces}`);

sipTest("attended() joins the other sides of two calls whose media are ours", async () => {
  await using lab = await startSipLab();
  const { caller, callee, consultation, asked } = await consulting(lab, "anchored");

  const accepted = await callee.request("REFER", replacing(consultation));
  const notified = await progress(callee);
  const ends = await Promise.all([callee.ended, consultation.ended]);

  assert.equal(accepted.status, 202);
  assert.deepEqual(notified, told("SIP/2.0 200 OK"));
  assert.deepEqual(ends.map(({ method }) => method), ["BYE", "BYE"]);
  const open = lab.media.legs.filter(({ closed }) => !closed);
  assert.equal(open.length, 2);
  assert.equal(open[0]?.joined, open[1]);
  await asked.bye();
  assert.equal((await caller.ended).method, "BYE");
});

sipTest("attended() refuses a conversation that the transferor has no part in", async () => {
  await using lab = await startSipLab();
  service(lab, "anchored");
  const { caller, callee } = await talking(lab, ["alice", "bob"]);
  const { callee: stranger } = await talking(lab, ["carol", "carol"]);

  await callee.request("REFER", replacing(stranger));
  const notified = await progress(callee);
  await callee.request("REFER", replacing(callee));
  const own = await progress(callee);

  assert.deepEqual(notified, told("SIP/2.0 481 Call/Transaction Does Not Exist"));
  assert.deepEqual(own, notified);
  assert.equal((await caller.bye()).status, 200);
});

sipTest("attended() calls anew whom media pass by us, in place of its call", async () => {
  await using lab = await startSipLab();
  const { caller, callee, consultation, asked, carol } = await consulting(
    lab,
    "anchored",
    "proxied",
  );

  await callee.request("REFER", replacing(consultation));
  const again = await carol.nextCall();
  const joinedCall = await again.answer();
  const notified = await progress(callee);
  const ends = await Promise.all([callee.ended, consultation.ended, asked.ended]);

  assert.equal(
    valueOf(again.invite, "replaces"),
    decodeURIComponent(asked.replaces).replace(
      /;to-tag=(.*);from-tag=(.*)/,
      ";to-tag=$2;from-tag=$1",
    ),
  );
  assert.deepEqual(notified, told("SIP/2.0 200 OK"));
  assert.equal(ends.length, 3);
  const open = lab.media.legs.filter(({ closed }) => !closed);
  assert.equal(open[0]?.joined, open[1]);
  await caller.bye();
  assert.equal((await joinedCall.ended).method, "BYE");
});

sipTest("attended() goes on when the transferor hangs up both calls at once", async () => {
  await using lab = await startSipLab();
  const { caller, callee, consultation, carol } = await consulting(lab, "anchored", "proxied");

  await callee.request("REFER", replacing(consultation));
  const again = await carol.nextCall();
  await Promise.all([callee.bye(), consultation.bye()]);
  const joinedCall = await again.answer();
  await eventually("the two are joined", () => {
    const [one, other, ...more] = lab.media.legs.filter(({ closed }) => !closed);
    return more.length === 0 && one?.joined !== undefined && one.joined === other;
  });

  assert.equal((await caller.bye()).status, 200);
  assert.equal((await joinedCall.ended).method, "BYE");
});

sipTest(
  "attended() ends a call whose transferor has left, and whom it asked declines",
  async () => {
    await using lab = await startSipLab();
    const { caller, callee, consultation, carol } = await consulting(lab, "anchored", "proxied");

    await callee.request("REFER", replacing(consultation));
    const again = await carol.nextCall();
    await callee.bye();
    again.decline(603);

    assert.equal((await caller.ended).method, "BYE");
  },
);

sipTest(
  "passOn() gives a REFER to the softphone whose media pass by us, and its NOTIFY back",
  async () => {
    await using lab = await startSipLab();
    service(lab, "proxied");
    const { caller, callee } = await talking(lab, ["alice", "bob"], "proxied");

    const accepted = await callee.request("REFER", replacing(callee));
    const refer = await caller.next("REFER");
    const tell = (line: string, state: string) =>
      caller.request("NOTIFY", {
        headers: ["Event: refer", `Subscription-State: ${state}`],
        body: { type: "message/sipfrag", content: `SIP/2.0 ${line}` },
      });
    // sip.js says so with every NOTIFY, the first one too.
    await tell("180 Ringing", "terminated");
    const early = await callee.next("NOTIFY");
    await tell("200 OK", "terminated;reason=noresource");
    const notify = await callee.next("NOTIFY");
    caller.onRequest = ({ method }) => method === "REFER" ? { status: 603 } : undefined;
    const refused = await callee.request("REFER", referTo(carolsAddress));
    const unasked = await caller.request("NOTIFY", {
      headers: ["Event: refer", "Subscription-State: active"],
    });

    assert.equal(unasked.status, 481);
    assert.deepEqual([accepted.status, refused.status], [202, 603]);
    // Named as any companion knows it.
    assert.match(
      valueOf(refer, "refer-to"),
      /^<sip:carol@sip\.test\?Replaces=CA[0-9a-f]{32}%40AC\w+%3Bto-tag%3D[0-9a-f]{64}%3Bfrom-tag%3Dleg>$/,
    );
    assert.equal(valueOf(refer, "referred-by"), "<sip:bob@sip.test>");
    assert.match(valueOf(early, "subscription-state"), /^active;expires=\d+$/);
    assert.deepEqual(
      [notify.body, valueOf(notify, "subscription-state")],
      ["SIP/2.0 200 OK", "terminated;reason=noresource"],
    );
  },
);

for (const media of ["anchored", "proxied"] as const) {
  sipTest(`replace() takes the place of a leg in a call that is ${media}`, async () => {
    await using lab = await startSipLab();
    service(lab, media);
    const { caller, callee } = await talking(lab, ["bob", "carol"], media);
    const alice = await lab.phone("alice");
    const carol = await lab.phone("carol", { instance: "00000000-0000-4000-8000-000000000001" });

    const replaces = decodeURIComponent(caller.replaces);
    const call = alice.call("carol", { sdp: sdp("alice"), headers: [`Replaces: ${replaces}`] });
    const again = media === "proxied" ? await carol.nextCall() : undefined;
    const fresh = await again?.answer(sdp("carol again"));
    const dialog = await call.answered;
    const { event } = await lab.service.reported(({ event }) =>
      event.type === "incoming" && event.replaces !== undefined
    );
    await caller.ended;
    if (fresh !== undefined) await callee.ended;

    assert.equal(event.type, "incoming");
    if (media === "proxied") assert.equal(dialog.remoteSdp, sdp("carol again"));
    assert.equal(again?.invite.body, media === "proxied" ? sdp("alice") : undefined);
    await dialog.bye();
    assert.equal((await (fresh ?? callee).ended).method, "BYE");
  });
}

sipTest("onInvite() answers 481 to Replaces of no call of the account", async () => {
  await using lab = await startSipLab();
  service(lab, "anchored");
  const { caller } = await talking(lab, ["alice", "bob"]);
  const carol = await lab.phone("carol");

  const nothing = await carol.call("bob", { headers: ["Replaces: a;to-tag=b;from-tag=c"] }).final;
  const malformed = await carol.call("bob", { headers: ["Replaces: nonsense"] }).final;
  const early = await carol.call("bob", {
    headers: [`Replaces: ${decodeURIComponent(caller.replaces)};early-only`],
  }).final;
  await strangerOf(lab, "carol");
  const foreign = await carol.call("bob", {
    headers: [`Replaces: ${decodeURIComponent(caller.replaces)}`],
  }).final;

  assert.deepEqual([nothing.status, malformed.status, foreign.status], [481, 481, 481]);
  assert.equal(early.status, 486);
  assert.equal((await caller.bye()).status, 200);
});

/** Moves a Client into another account. */
async function strangerOf(lab: SipLab, login: string): Promise<void> {
  const known = lab.service.credentials.get(login);
  assert.ok(known);
  lab.service.credentials.set(login, { ...known, accountSid: `AC${"1".repeat(32)}` });
  const forgotten = await lab.service.order(lab.companion.bridgeUrl, "/invalidate", {
    logins: [login],
  });
  await forgotten.body?.cancel();
}
