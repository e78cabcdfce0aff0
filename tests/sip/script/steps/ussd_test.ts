import assert from "node:assert/strict";
import type { Script } from "../../../../core/protocol/script.ts";
import { sdpWithoutMedia, ussdIn, writeUssd } from "../../../../sip/text/ussd_body.ts";
import { readSip, type SipText, valueOf } from "../../../support/sip/sip_text.ts";
import { type SipLab, sipTest } from "../../../support/sip/sip_lab.ts";
import {
  openTrunk,
  startTrunkLab,
  trunkInvitation,
  type TrunkPeer,
  udpOf,
} from "../../../support/sip/trunk_peer.ts";
import { ussdCallee, ussdCaller, ussdInvite, ussdXml } from "../../../support/sip/ussd_peer.ts";

const accountSid = `AC${"1".repeat(32)}`;
const numberSid = `PN${"2".repeat(32)}`;
const action = { url: "http://app.test/chosen", method: "POST", hops: 1 } as const;
const target = "sip:*135%23;phone-context=home.test@sip.test;user=dialstring";

const startLab = () => startTrunkLab({ trustedSources: ["127.0.0.2/32"] });
const openNetwork = (lab: SipLab) => openTrunk(udpOf(lab), "127.0.0.2");

async function finalOf(peer: TrunkPeer): Promise<SipText> {
  for (;;) {
    const message = await peer.next();
    if ((message.status ?? 0) >= 200) return message;
  }
}

/** A dialogue that a subscriber begins, answered by scripts, one after the other. */
async function begin(lab: SipLab, peer: TrunkPeer, scripts: Script[], sdp?: string) {
  const dialled = "*135#";
  lab.service.trunks.number = () => ({ accountSid, numberSid, dialled, allowed: true });
  lab.service.answer = () => scripts.shift() ?? [];
  const text = ussdInvite(peer, { target, body: ussdXml("*135#"), ...sdp && { sdp } });
  peer.send(text);
  const answer = await finalOf(peer);
  return { answer, caller: ussdCaller(peer, readSip(text), answer) };
}

const ask: Script = [
  { type: "ussd", message: { text: "1 & 2?", language: "en" }, collect: true, action },
  { type: "hangup" },
];
const end: Script = [{ type: "ussd", message: { text: "Bye" }, collect: false }];

sipTest("a USSD dialogue: INVITE, INFO both ways, BYE with the last words", async () => {
  await using lab = await startLab();
  await using peer = await openNetwork(lab);
  const { answer, caller } = await begin(lab, peer, [ask, end]);
  caller.ack();

  const info = await caller.taken("INFO");
  caller.info(ussdXml(" 2 &lt;b&gt;&#10;"));
  const replied = await finalOf(peer);
  const bye = await caller.taken("BYE");
  const begun = await lab.service.event("incomingNumber");
  const { event } = await lab.service.event("collected");
  const ended = await lab.service.event("ended");

  assert.deepEqual([answer.status, replied.status], [200, 200]);
  assert.doesNotMatch(answer.body, /^m=/m);
  assert.equal(valueOf(answer, "recv-info"), "g.3gpp.ussd");
  assert.equal(valueOf(info, "info-package"), "g.3gpp.ussd");
  assert.equal(valueOf(info, "content-disposition"), "Info-Package");
  assert.equal(valueOf(info, "content-type"), "application/vnd.3gpp.ussd+xml");
  assert.match(info.body, /<language>en<\/language><ussd-string>1 &amp; 2\?<\/ussd-string>/);
  assert.match(info.body, /<anyExt><UnstructuredSS-Request\/><\/anyExt>/);
  assert.match(bye.body, /<ussd-data><ussd-string>Bye<\/ussd-string><\/ussd-data>/);
  assert.deepEqual(begun.event.ussd, { text: "*135#", language: "en" });
  assert.deepEqual(lab.service.trunks.queries[0]!.dialled[0], "*135#");
  assert.deepEqual(event, {
    type: "collected",
    text: " 2 <b>\n",
    action: { ...action, hops: 0 },
  });
  assert.deepEqual(ended.event, { type: "ended", outcome: "completed" });
  assert.deepEqual(lab.media.legs, []);
});

sipTest("a USSD dialogue beside an offer takes none of its streams", async () => {
  await using lab = await startLab();
  await using peer = await openNetwork(lab);
  const sdp = "v=0\r\no=- 1 1 IN IP4 1.2.3.4\r\ns=-\r\nt=0 0\r\nm=audio 49170 RTP/AVP 0 8\r\n";

  const { answer, caller } = await begin(lab, peer, [end], sdp);
  caller.ack();
  await caller.taken("BYE");

  assert.equal(answer.status, 200);
  assert.match(answer.body, /^m=audio 0 RTP\/AVP 0 8\r$/m);
});

const endings: Record<string, (of: Awaited<ReturnType<typeof begin>>["caller"]) => Promise<void>> =
  {
    "that the subscriber ends": async (caller) => {
      await caller.taken("INFO");
      caller.bye();
    },
    "whose INFO is refused": async (caller) => {
      await caller.taken("INFO", 415);
      await caller.taken("BYE");
    },
    "in which the subscriber's device reports an error": async (caller) => {
      await caller.taken("INFO");
      caller.info("<ussd-data><error-code>1</error-code></ussd-data>");
      await caller.taken("BYE");
    },
  };

for (const [what, happens] of Object.entries(endings)) {
  sipTest(`a USSD dialogue ${what} is over, and nothing is collected`, async () => {
    await using lab = await startLab();
    await using peer = await openNetwork(lab);
    const { caller } = await begin(lab, peer, [ask]);
    caller.ack();

    await happens(caller);
    const ended = await lab.service.event("ended");

    assert.deepEqual(ended.event, { type: "ended", outcome: "completed" });
    assert.deepEqual(lab.service.reports.filter(({ event }) => event.type === "collected"), []);
  });
}

sipTest(
  "an INFO in a USSD dialogue that is none of USSD is refused, and changes nothing",
  async () => {
    await using lab = await startLab();
    await using peer = await openNetwork(lab);
    const { caller } = await begin(lab, peer, [ask, end]);
    caller.ack();
    await caller.taken("INFO");

    caller.info("5", "application/dtmf");
    const refused = await finalOf(peer);
    caller.info(ussdXml("1"));
    const taken = await finalOf(peer);
    await caller.taken("BYE");

    assert.deepEqual([refused.status, taken.status], [400, 200]);
  },
);

sipTest(
  "a USSD dialogue is refused where it is malformed, for no number, or unauthenticated",
  async () => {
    await using lab = await startLab();
    await using peer = await openNetwork(lab);
    await using stranger = await openTrunk(udpOf(lab));
    const send = async (from: TrunkPeer, body: string) => {
      from.send(ussdInvite(from, { target, body }));
      return (await finalOf(from)).status;
    };

    const statuses = [
      await send(stranger, ussdXml("*135#")),
      await send(peer, "<ussd>"),
      await send(peer, ussdXml("*135#")),
    ];
    const dialled = "*135#";
    lab.service.trunks.number = () => ({ accountSid, numberSid, dialled, allowed: true });
    lab.service.answer = () => [{ type: "reject", status: 404 }];
    statuses.push(await send(peer, ussdXml("*135#")));

    assert.deepEqual(statuses, [415, 400, 404, 404]);
  },
);

sipTest("a USSD message in a call of other kind hangs up", async () => {
  await using lab = await startLab();
  const alice = await lab.phone("alice");
  lab.service.answer = () => [{ type: "answer" }, ...end];

  const dialog = await alice.call("bob").answered;
  await dialog.ended;

  assert.match(lab.logged.join("\n"), /Cannot show a USSD message in a call/);
});

const read: Record<string, [xml: string, said: unknown]> = {
  "elements": [ussdXml("a"), { text: "a", isError: false, language: "en" }],
  "attributes": [
    '<ussd-data>\n<language value="de"/>\n<ussd-string value="*1&#35;&quot;"/></ussd-data>',
    { text: '*1#"', isError: false, language: "de" },
  ],
  "namespaces": [
    '<u:ussd-data xmlns:u="x"><u:ussd-string>a</u:ussd-string></u:ussd-data>',
    { text: "a", isError: false },
  ],
  "CDATA": [
    "<ussd-data><ussd-string><![CDATA[<&>]]></ussd-string></ussd-data>",
    { text: "<&>", isError: false },
  ],
  "a text that is empty": [
    "<ussd-data><ussd-string/></ussd-data>",
    { text: "", isError: false },
  ],
  "a confirmation": [
    "<ussd-data><anyExt><UnstructuredSS-Notify/></anyExt></ussd-data>",
    { text: "", isError: false },
  ],
  "an error": ["<ussd-data><error-code>2</error-code></ussd-data>", { text: "", isError: true }],
  "characters that are none": [
    "<ussd-data><ussd-string>&#0;&#xD800;&#x110000;&#x1F600;</ussd-string></ussd-data>",
    { text: "😀", isError: false },
  ],
  "entities": [`<!DOCTYPE a [<!ENTITY x "y">]>${ussdXml("&x;")}`, undefined],
  "another document": ["<other><ussd-string>a</ussd-string></other>", undefined],
  "nothing": ["<ussd-data></ussd-data>", undefined],
  "an element without its end": ["<ussd-data><ussd-string>a", undefined],
  "much": [ussdXml("x".repeat(9_000)), undefined],
};

for (const [what, [content, said]] of Object.entries(read)) {
  Deno.test(`ussdIn() reads ${what}`, () => {
    const found = ussdIn({ contentType: "application/vnd.3gpp.ussd+xml;charset=utf-8", content });
    assert.deepEqual(found?.said, said);
  });
}

Deno.test("ussdIn() finds its part in others, and none where there is none", () => {
  const type = 'multipart/mixed;boundary="a b"';
  const part = "Content-Type: application/vnd.3gpp.ussd+xml\r\n\r\n";
  const inside = (content: string) => ussdIn({ contentType: type, content });
  assert.equal(inside(`--a b\r\n${part}${ussdXml("x")}\r\n--a b--`)?.said.text, "x");
  assert.equal(inside(`--c\r\n${part}${ussdXml("x")}\r\n--c--`), undefined);
  assert.equal(ussdIn({ contentType: "multipart/mixed", content: "--\r\n\r\n" }), undefined);
});

Deno.test("writeUssd() writes what ussdIn() reads, whatever the text", () => {
  for (const text of ["a", "<&>\"'", "\u0000\u0007b", "語\n", "]]>"]) {
    // deno-lint-ignore no-control-regex
    const shown = text.replace(/[\u0000\u0007]/g, "");
    const said = ussdIn(writeUssd({ text, language: "en" }, "ask"))?.said;
    assert.deepEqual(said, { text: shown, language: "en", isError: false });
  }
});

Deno.test("sdpWithoutMedia() refuses every stream, and offers none", () => {
  const lines = sdpWithoutMedia("v=0\nm=audio 5 RTP/AVP 0\na=x\nm=video 7 RTP/AVP 9\n").split(
    "\r\n",
  );
  assert.deepEqual(lines.filter((line) => line.startsWith("m=")), [
    "m=audio 0 RTP/AVP 0",
    "m=video 0 RTP/AVP 9",
  ]);
});

const pushed = (peer: TrunkPeer, collect: boolean) => {
  const message = { text: "1 or 2?", language: "en" };
  const invitation = { ...trunkInvitation([peer.route]), ussd: { message, collect } };
  const script: Script = [
    { type: "invite", invitation, timeoutS: 30 },
    { type: "ussd", message, collect, invited: true, ...collect && { action } },
    { type: "hangup" },
  ];
  return { leg: invitation.leg, script };
};

const offer = "v=0\r\no=- 1 1 IN IP4 1.2.3.4\r\ns=-\r\nt=0 0\r\nm=audio 9 RTP/AVP 0\r\n";
const noStream = offer.replace("m=audio 9", "m=audio 0");

/** What a peer makes of an INVITE, and the answer of ours that its 200 gets. */
const peers: Record<string, { refuses?: boolean; sdp: string; ack: RegExp }> = {
  "an offer of no stream beside its text": { sdp: noStream, ack: /^$/ },
  "an offer that the peer leaves without answer": { sdp: "", ack: /^$/ },
  "the text alone, to who wants no multipart": { refuses: true, sdp: "", ack: /^$/ },
  "the text alone, to who then offers itself": { refuses: true, sdp: offer, ack: /^m=audio 0 /m },
};

for (const [what, { refuses = false, sdp, ack }] of Object.entries(peers)) {
  sipTest(`a pushed USSD dialogue asks in its INVITE, with ${what}`, async () => {
    await using lab = await startLab();
    await using peer = await openTrunk();
    const { leg, script } = pushed(peer, true);
    lab.service.answer = () => end;
    await lab.run(leg, script);

    const first = await peer.request("INVITE");
    if (refuses) {
      peer.respond(first, 415, { headers: ["Accept: application/vnd.3gpp.ussd+xml"] });
    }
    const invite = refuses ? await peer.request("INVITE") : first;
    peer.answer(invite, { sdp });
    const acknowledged = await peer.request("ACK");
    const caller = ussdCallee(peer, invite);
    caller.info(ussdXml("2"));
    const taken = await finalOf(peer);
    const bye = await caller.taken("BYE");
    const { event } = await lab.service.event("collected");
    const ended = await lab.service.event("ended");

    const body = { contentType: valueOf(invite, "content-type"), content: invite.body };
    const found = ussdIn(body);
    assert.match(valueOf(first, "content-type"), /^multipart\/mixed;/);
    assert.deepEqual(found?.said, { text: "1 or 2?", language: "en", isError: false });
    assert.equal(/^m=audio 0 RTP\/AVP/m.test(found?.sdp ?? ""), !refuses);
    assert.match(invite.body, /<anyExt><UnstructuredSS-Request\/>/);
    assert.equal(valueOf(invite, "recv-info"), "g.3gpp.ussd");
    assert.match(acknowledged.body, ack);
    assert.deepEqual([taken.status, event.text], [200, "2"]);
    assert.match(bye.body, /<ussd-string>Bye<\/ussd-string>/);
    assert.deepEqual(ended.event, { type: "ended", outcome: "completed" });
    assert.deepEqual(
      lab.service.reports.map(({ event, wantsScript }) => [event.type, wantsScript]),
      [["inviting", false], ["answered", false], ["collected", true], ["ended", false]],
    );
    assert.deepEqual(lab.media.legs, []);
  });
}

sipTest("a pushed USSD dialogue fails where neither form of its INVITE is taken", async () => {
  await using lab = await startLab();
  await using peer = await openTrunk();
  const forms = [
    ["application/vnd.3gpp.ussd+xml", 2],
    ["application/sdp", 1],
  ] as const;
  for (const [accept, invites] of forms) {
    const { leg, script } = pushed(peer, false);
    await lab.run(leg, script);
    for (let at = 0; at < invites; at++) {
      peer.respond(await peer.request("INVITE"), 415, { headers: [`Accept: ${accept}`] });
    }
    const { event } = await lab.service.event("ended", leg);
    assert.deepEqual([event.outcome, event.sipStatus], ["failed", 415]);
  }
});

/** How a device takes a text that wants no reply, once it was shown. */
const confirmations: Record<string, string | undefined> = {
  "which the device confirms": "<ussd-data><anyExt><UnstructuredSS-Notify/></anyExt></ussd-data>",
  "which the device never confirms": undefined,
};

for (const [what, confirmation] of Object.entries(confirmations)) {
  sipTest(`a pushed USSD dialogue that wants no reply ends when it is shown, ${what}`, async () => {
    const ussdBounds = { shownMs: confirmation === undefined ? 50 : 3_600_000 };
    await using lab = await startTrunkLab({ ussdBounds });
    await using peer = await openTrunk();
    const { leg, script } = pushed(peer, false);
    await lab.run(leg, script);
    const invite = await peer.request("INVITE");
    peer.answer(invite, { sdp: noStream });
    await peer.request("ACK");

    const caller = ussdCallee(peer, invite);
    if (confirmation !== undefined) caller.info(confirmation);
    const bye = await caller.taken("BYE");
    const ended = await lab.service.event("ended", leg);

    assert.match(invite.body, /<UnstructuredSS-Notify\/>/);
    assert.equal(bye.body, "");
    assert.deepEqual(ended.event, { type: "ended", outcome: "completed" });
    const collected = lab.service.reports.filter(({ event }) => event.type === "collected");
    assert.deepEqual(collected, []);
  });
}

sipTest("a pushed USSD dialogue that is refused fails", async () => {
  await using lab = await startLab();
  await using peer = await openTrunk();
  const { leg, script } = pushed(peer, false);
  await lab.run(leg, script);
  peer.respond(await peer.request("INVITE"), 480);
  const { event } = await lab.service.event("ended", leg);

  assert.equal(event.outcome, "failed");
});

for (const isPushed of [false, true]) {
  const begins = isPushed ? "we begin" : "the subscriber begins";
  sipTest(`a USSD dialogue that ${begins} ends when nothing is replied in time`, async () => {
    await using lab = await startTrunkLab({
      trustedSources: ["127.0.0.2/32"],
      ussdBounds: { replyMs: 50 },
    });
    await using peer = await (isPushed ? openTrunk() : openNetwork(lab));
    if (isPushed) {
      const { leg, script } = pushed(peer, true);
      await lab.run(leg, script);
      peer.answer(await peer.request("INVITE"), { sdp: noStream });
      await peer.request("ACK");
    } else {
      const { caller } = await begin(lab, peer, [ask]);
      caller.ack();
      await caller.taken("INFO");
    }

    const bye = await peer.request("BYE");
    peer.respond(bye, 200);
    const ended = await lab.service.event("ended");

    assert.equal(bye.body, "");
    assert.deepEqual(ended.event, { type: "ended", outcome: "completed" });
    const collected = lab.service.reports.filter(({ event }) => event.type === "collected");
    assert.deepEqual(collected, []);
  });
}

sipTest("a reply to a pushed USSD text is taken that comes right behind the answer", async () => {
  await using lab = await startLab();
  await using peer = await openTrunk();
  const { leg, script } = pushed(peer, true);
  lab.service.answer = () => end;
  await lab.run(leg, script);
  const invite = await peer.request("INVITE");
  const caller = ussdCallee(peer, invite);

  peer.answer(invite, { sdp: noStream });
  caller.info(ussdXml("2"));
  await caller.taken("BYE");

  const { event } = await lab.service.event("collected");
  assert.equal(event.text, "2");
  const statuses = peer.heard.flatMap(({ status }) => status ?? []);
  assert.deepEqual(statuses, [200]);
});
