import assert from "node:assert/strict";
import type { Companion } from "../../sip/companion.ts";
import { writeOrder } from "../../sip/leg/companion_call.ts";
import { createPeerProofs } from "../../sip/text/peer_proofs.ts";
import {
  type CompanionsLab,
  type CompanionsLabOptions,
  secret,
  startCompanions,
} from "../support/service/companions_lab.ts";
import { xml } from "../support/service/hand_companion.ts";
import { sipTest } from "../support/sip/sip_lab.ts";
import { valueOf } from "../support/sip/sip_text.ts";
import type { Softphone } from "../support/sip/softphone.ts";

interface TwoCompanions extends CompanionsLab {
  one: Companion;
  two: Companion;
  /** Alice, registered at `one`. */
  alice: Softphone;
}

/** A service with two companions; the Clients alice, bob and carol. */
async function startTwo(
  changes: Record<string, CompanionsLabOptions> = {},
): Promise<TwoCompanions> {
  const lab = await startCompanions(["one", "two"], { only: changes });
  const [one, two] = lab.companions as [Companion, Companion];
  for (const login of ["alice", "bob", "carol"]) await lab.client(login);
  await lab.until(async () =>
    (await lab.app.ports.companions.list()).every(({ sipUri }) => sipUri !== undefined)
  );
  return { ...lab, one, two, alice: await lab.phone("alice", one) };
}

/** All calls, incoming ones first: the companion and the status of each. */
async function calls({ app }: CompanionsLab) {
  const list = (await app.root.get("Calls.json")).json().calls as { sid: string }[];
  const all = await Promise.all(
    list.map(async ({ sid }) => {
      const { direction, to, status, companion } =
        (await app.ports.records.calls.get(app.root.sid, sid))!;
      return { direction, to, status, at: companion?.id };
    }),
  );
  return all.sort((a, b) => a.direction < b.direction ? -1 : 1);
}

const allEnded = (lab: CompanionsLab) => async () =>
  (await calls(lab)).every(({ status }) => !["queued", "ringing", "in-progress"].includes(status));

const offerOf = (name: string) => `v=0\r\no=${name} 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n`;

sipTest(
  "a Client's call reaches a Client at another companion, with its SDP and requests",
  async () => {
    await using lab = await startTwo();
    const bob = await lab.phone("bob", lab.two);

    const call = lab.alice.call("bob", { sdp: offerOf("alice"), headers: ["X-Order: 7"] });
    const incoming = await bob.nextCall();
    incoming.ring({ status: 183, sdp: offerOf("early") });
    const early = await call.ringing;
    const [callee, caller] = await Promise.all([incoming.answer(offerOf("bob")), call.answered]);
    caller.onReinvite = (offer) => offer.replace("held", "taken");
    const held = await callee.request("INVITE", { sdp: offerOf("held"), ack: "" });
    const digit = { type: "application/dtmf-relay", content: "Signal=5\r\nDuration=100\r\n" };
    const info = await caller.request("INFO", { body: digit });
    const update = await caller.request("UPDATE", { sdp: offerOf("update") });
    await caller.bye();
    await callee.ended;
    await lab.until(allEnded(lab));

    assert.deepEqual([early.status, early.body], [183, offerOf("early")]);
    assert.deepEqual([incoming.invite.body, caller.remoteSdp], [offerOf("alice"), offerOf("bob")]);
    assert.equal(valueOf(incoming.invite, "x-order"), "7");
    assert.match(valueOf(incoming.invite, "from"), /sip:alice@/);
    assert.doesNotMatch(incoming.invite.headers.map(([name]) => name).join(), /switchboard/i);
    assert.deepEqual([held.status, held.body], [200, offerOf("taken")]);
    assert.equal((await callee.next("INFO")).body, digit.content);
    assert.deepEqual([info.status, update.status, update.body], [200, 200, offerOf("bob")]);
    assert.deepEqual(await calls(lab), [
      { direction: "inbound", to: "client:bob", status: "completed", at: "one" },
      { direction: "outbound-dial", to: "client:bob", status: "completed", at: "one" },
    ]);
  },
);

for (const winner of ["one", "two"] as const) {
  sipTest(`devices at both companions ring, and the one at ${winner} has the call`, async () => {
    await using lab = await startTwo();
    const loser = winner === "one" ? "two" : "one";
    const phones = { one: await lab.phone("bob", lab.one), two: await lab.phone("bob", lab.two) };

    const call = lab.alice.call("bob");
    const [taken, left] = [await phones[winner].nextCall(), await phones[loser].nextCall()];
    left.ring();
    const [callee] = await Promise.all([taken.answer(), call.answered]);
    const cancel = await left.cancelled;
    await callee.bye();
    await lab.until(allEnded(lab));

    assert.match(valueOf(cancel, "reason"), /cause=200/);
    assert.deepEqual((await calls(lab)).map(({ status }) => status), ["completed", "completed"]);
  });
}

sipTest("POST /Calls rings a Client's devices at both companions, and ends at either", async () => {
  await using lab = await startTwo();
  lab.app.answers = () => xml("<Pause length='60'/>");
  const phones = [await lab.phone("bob", lab.one), await lab.phone("bob", lab.two)];

  const form = { From: "+15550001", To: "client:bob", Url: "https://app.test/voice" };
  const { sid } = (await lab.app.root.post("Calls.json", form)).json();
  await lab.app.runJobs();
  const [first, second] = await Promise.all(phones.map((phone) => phone.nextCall()));
  first!.ring();
  const dialog = await second!.answer();
  await first!.cancelled;
  await lab.until(async () => (await calls(lab))[0]?.status === "in-progress");
  await lab.app.root.post(`Calls/${sid}.json`, { Status: "completed" });
  await lab.app.runJobs();
  await dialog.ended;
  await lab.until(allEnded(lab));

  assert.equal((await calls(lab))[0]?.status, "completed");
});

sipTest(
  "a caller that gives up, or is refused, is through with a Client elsewhere too",
  async () => {
    await using lab = await startTwo();
    const bob = await lab.phone("bob", lab.two);

    const given = lab.alice.call("bob");
    const first = await bob.nextCall();
    first.ring();
    await given.ringing;
    await given.cancel();
    const cancel = await first.cancelled;
    const refused = lab.alice.call("bob");
    (await bob.nextCall()).decline(486);

    assert.doesNotMatch(valueOf(cancel, "reason"), /cause=200/);
    assert.deepEqual([(await given.final).status, (await refused.final).status], [487, 486]);
    await lab.until(allEnded(lab));
    const statuses = (await calls(lab)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, ["busy", "busy", "canceled", "canceled"]);
  },
);

sipTest("a call that another companion was given goes no further", async () => {
  await using lab = await startTwo();
  const bob = await lab.phone("bob", lab.one);
  let rang = 0;
  bob.onCall = () => rang++;
  const peer = createPeerProofs(secret);

  const another = await lab.connect("mallory", lab.two);
  const answer = await inviteAs(another, (ids) => peer.prove({ login: "bob", ...ids }));

  // Bob is at `one` alone, which the service has and `two` does not request.
  assert.deepEqual([answer.status, rang], [480, 0]);
});

/** An INVITE to bob with a header for its ids; resolves with the final response. */
function inviteAs(
  phone: Softphone,
  header: (ids: { callId: string; cseq: number }) => string,
  ids = { callId: "a-call", cseq: 1 },
) {
  return phone.request("INVITE", {
    target: `sip:bob@${phone.domain}`,
    sdp: offerOf("mallory"),
    headers: [header(ids)],
    replace: { "call-id": ids.callId, "cseq": `${ids.cseq} INVITE` },
  });
}

sipTest(
  "no forged, foreign, late or repeated proof passes for a companion",
  async () => {
    await using lab = await startTwo();
    const bob = await lab.phone("bob", lab.two);
    let rang = 0;
    bob.onCall = (call) => (rang++, call.decline(486));
    const ids = { callId: "a-call-of-one", cseq: 1 };
    const peer = createPeerProofs(secret);
    const good = peer.prove({ login: "bob", ...ids });
    const of = (login: string, other: Partial<typeof ids>) =>
      peer.prove({ login, ...ids, ...other });
    const late = createPeerProofs(secret, () => Date.now() - 31_000);
    const bad = [
      "Switchboard-Peer: yes",
      createPeerProofs("another secret").prove({ login: "bob", ...ids }),
      of("carol", {}),
      of("bob", { callId: "another" }),
      of("bob", { cseq: 2 }),
      late.prove({ login: "bob", ...ids }),
      `${good}\r\nSwitchboard-Order: e30`,
    ];

    const statuses: (number | undefined)[] = [];
    for (const header of [...bad, good, good]) {
      const phone = await lab.connect("mallory", lab.two);
      statuses.push((await inviteAs(phone, () => header, ids)).status);
    }

    assert.deepEqual(statuses, [...bad.map(() => 403), 486, 403]);
    assert.equal(rang, 1);
  },
);

sipTest("an order that is none, or for another run of the companion, is refused", async () => {
  await using lab = await startTwo();
  const leg = `CA${"1".repeat(32)}`;
  const orders = ["e30", "?", writeOrder({ type: "pickup", leg, runId: "another" })];
  const peer = createPeerProofs(secret);

  const statuses: (number | undefined)[] = [];
  for (const [at, order] of orders.entries()) {
    const phone = await lab.connect("mallory", lab.two);
    const answer = await inviteAs(phone, (ids) => {
      const proof = peer.prove({ login: "bob", ...ids, order });
      return `${proof}\r\nSwitchboard-Order: ${order}`;
    }, { callId: `call-${at}`, cseq: 1 });
    statuses.push(answer.status);
  }

  assert.deepEqual(statuses, [400, 400, 410]);
});

sipTest("a companion that stops hangs up the calls that pass through it", async () => {
  await using lab = await startTwo();
  const bob = await lab.phone("bob", lab.two);
  const call = lab.alice.call("bob");
  const [callee, caller] = await Promise.all([(await bob.nextCall()).answer(), call.answered]);

  await lab.two.stop();
  await Promise.all([callee.ended, caller.ended]);
  await lab.until(allEnded(lab));

  assert.deepEqual((await calls(lab)).map(({ status }) => status), ["completed", "completed"]);
});

sipTest("a companion that died without a word costs a caller nothing but that device", async () => {
  await using lab = await startTwo();
  const { companions } = lab.app.ports;
  await lab.phone("bob", lab.two);
  const local = await lab.phone("bob", lab.one);
  const gone = (await companions.get("two"))!;
  await lab.two.stop();
  const tell = { came: ["bob"], went: [], registered: 1, whole: true, seq: 0 };
  await companions.beat(gone); // As if it had said nothing.
  await companions.takePresence({ companion: gone, ...tell });

  const call = lab.alice.call("bob");
  await Promise.all([(await local.nextCall()).answer(), call.answered]);
  await local.close();
  const alone = lab.alice.call("bob");

  assert.equal((await alone.final).status, 480);
});

sipTest("a transfer passes between Clients at two companions", async () => {
  await using lab = await startTwo();
  const bob = await lab.phone("bob", lab.two);
  const call = lab.alice.call("bob");
  const [callee, caller] = await Promise.all([(await bob.nextCall()).answer(), call.answered]);

  const { status } = await callee.request("REFER", { headers: [`Refer-To: <sip:carol@sip.test>`] });
  const refer = await caller.next("REFER");
  const fragment = { type: "message/sipfrag", content: "SIP/2.0 200 OK\r\n" };
  await caller.request("NOTIFY", {
    headers: ["Event: refer", "Subscription-State: terminated;reason=noresource"],
    body: fragment,
  });
  const told = await callee.next("NOTIFY");

  assert.equal(status, 202);
  assert.equal(valueOf(refer, "refer-to"), "<sip:carol@sip.test>");
  assert.equal(told.body, fragment.content);
});

sipTest(
  "the markup gets the X- headers of an answer from another companion",
  async () => {
    await using lab = await startTwo();
    const dial = '<Dial action="/dialled"><Client>bob</Client></Dial>';
    lab.app.answers = ({ url }) => xml(new URL(url).pathname === "/voice" ? dial : "<Hangup/>");
    const { accountSid, sid } = (await lab.app.ports.records.clients.holder("login", "alice"))!;
    await lab.app.ports.records.clients.update(accountSid, sid, (record) => ({
      record: { ...record, voiceUrl: "https://app.test/voice" },
    }));
    const bob = await lab.phone("bob", lab.two);

    const refused = lab.alice.call("anything");
    (await bob.nextCall()).decline(486, ["X-Why: lunch"]);
    await refused.final;
    const taken = lab.alice.call("anything");
    const dialog = await (await bob.nextCall()).answer(undefined, ["X-Desk: 9"]);
    const caller = await taken.answered;
    await dialog.bye();
    await caller.ended;

    const asked = lab.app.fetched.filter(({ url }) => url.endsWith("/dialled"));
    const told = await Promise.all(asked.map(async (one) => new URLSearchParams(await one.text())));
    assert.deepEqual(told.map((params) => params.get("DialSipHeader_X-Why")), ["lunch", null]);
    assert.deepEqual(told.map((params) => params.get("DialSipHeader_X-Desk")), [null, "9"]);
  },
);

/** A way to a port that can be cut, as a cable can. */
function cable(port: number) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const ends: Deno.Conn[] = [];
  const carrying = (async () => {
    for await (const near of listener) {
      const far = await Deno.connect({ hostname: "127.0.0.1", port });
      ends.push(near, far);
      void near.readable.pipeTo(far.writable).catch(() => {});
      void far.readable.pipeTo(near.writable).catch(() => {});
    }
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    async cut() {
      listener.close();
      await carrying;
      for (const end of ends) {
        try {
          end.close();
        } catch {
          // The other end closed it.
        }
      }
    },
  };
}

sipTest("calls between companions end at both when the connection is lost", async () => {
  await using lab = await startTwo();
  const bob = await lab.phone("bob", lab.two);
  const { companions } = lab.app.ports;
  const way = cable(lab.two.sipAddresses.get("WS")!.port);
  const two = (await companions.get("two"))!;
  await companions.beat({ ...two, sipUri: `sip:127.0.0.1:${way.port};transport=ws` });
  const call = lab.alice.call("bob");
  const [callee, caller] = await Promise.all([(await bob.nextCall()).answer(), call.answered]);

  await way.cut();
  await Promise.all([callee.ended, caller.ended]);
  await lab.until(allEnded(lab));

  assert.deepEqual((await calls(lab)).map(({ status }) => status), ["completed", "completed"]);
});

sipTest(
  "a companion that wants longer sessions than another gets the call all the same",
  async () => {
    await using lab = await startTwo({
      two: { sessionBounds: { expiresS: 3_000, minSeS: 2_000 } },
    });
    const bob = await lab.phone("bob", lab.two);

    const call = lab.alice.call("bob"); // Its INVITE between the two requests 1800 s at first.
    (await bob.nextCall()).decline(486);

    assert.equal((await call.final).status, 486);
  },
);
