import assert from "node:assert/strict";
import { ringingTone } from "../../sip/media/audio/ringing_tone.ts";
import { type FakeMedia, fakeMedia } from "../support/media/fake_media.ts";
import {
  lobby,
  type PeerRoomsLab,
  startPeerConferences,
} from "../support/sip/peer_conferences_lab.ts";
import { valueOf } from "../support/sip/sip_text.ts";
import { sipTest } from "../support/sip/sip_lab.ts";
import type { PhoneDialog } from "../support/sip/softphone_dialog.ts";
import { type Side, talking, told } from "../support/sip/transfer_lab.ts";

type At = "one" | "two";

interface Lab extends PeerRoomsLab {
  /** Of the first companion. */
  media: FakeMedia;
  /** A Client in the conference, which is at the companion of the first. */
  enters(login: string, at: At, markup?: string): Promise<Side>;
  /** Resolves when these callers or callees are in the conference. */
  untilIn(...logins: string[]): Promise<void>;
}

async function start(): Promise<Lab> {
  const media = fakeMedia({ slow: true });
  const lab = await startPeerConferences(["alice", "bob", "carol"], {
    one: { media },
    two: { media: fakeMedia({ slow: true }) },
  });
  const { records } = lab.app.ports;
  const { sid: accountSid } = lab.app.root;
  const inConference = async () => {
    const conference = await records.conferences.holder("liveName", `${accountSid}/lobby`);
    const present = conference?.members.filter(({ hasJoined }) => hasJoined) ?? [];
    const calls = await Promise.all(
      present.map(async ({ callSid }) => (await records.calls.get(accountSid, callSid))!),
    );
    return calls.map(({ direction, from, to }) => direction === "inbound" ? from : to)
      .map((name) => name.replace("client:", "")).toSorted().join(" ");
  };
  return {
    ...lab,
    media,
    untilIn: (...logins) => lab.until(async () => await inConference() === logins.join(" ")),
    async enters(login, at, markup = lobby()) {
      lab.pages.set(`/${login}`, markup);
      const phone = await lab.phone(login, lab[at]);
      return { phone, dialog: await phone.call("conference").answered };
    },
  };
}

/** Alice in the conference at `one`, and Bob, at one of the two. */
async function both(lab: Lab, at: At, markup?: string): Promise<[Side, Side]> {
  const alice = await lab.enters("alice", "one");
  await lab.untilIn("alice");
  const bob = await lab.enters("bob", at, markup);
  await lab.untilIn("alice", "bob");
  return [alice, bob];
}

const callsTo = async (lab: Lab, login: string) =>
  (await lab.app.root.get(`Calls.json?To=client:${login}`)).json().calls;

const conferences = async (lab: Lab): Promise<number> =>
  (await lab.app.root.get("Conferences.json")).json().total;

const refers = async (dialog: PhoneDialog, to: string) =>
  await dialog.request("REFER", { headers: [`Refer-To: <${to}>`] });

for (const at of ["one", "two"] as const) {
  sipTest(
    `blindInConference() has the target take the transferor's place, at ${at}`,
    async () => {
      await using lab = await start();
      const [alice, bob] = await both(lab, at);
      const carol = await lab.phone("carol", lab[at]);

      const { status } = await refers(bob.dialog, "sip:carol@sip.test");
      assert.equal(status, 202);
      const ringing = await carol.nextCall();
      await lab.untilIn("alice", "bob");
      const dialog = await ringing.answer();
      const heard = await told(bob);
      await lab.untilIn("alice", "carol");
      const bye = await bob.dialog.ended;
      const { calls } = (await lab.app.root.get("Calls.json?To=client:carol")).json();

      assert.equal(valueOf(ringing.invite, "referred-by"), "<sip:bob@sip.test>");
      assert.deepEqual([heard[0], heard.at(-1)], ["SIP/2.0 100 Trying", "SIP/2.0 200 OK"]);
      assert.equal(bye.method, "BYE");
      assert.deepEqual([calls.length, calls[0].from, calls[0].status], [
        1,
        "client:bob",
        "in-progress",
      ]);
      await dialog.bye();
      await lab.untilIn("alice");
      await alice.dialog.bye();
    },
  );
}

sipTest(
  "blindInConference() leaves all as it was without an answer, and the conference may go on",
  async () => {
    await using lab = await start();
    const [, bob] = await both(lab, "one");
    const carol = await lab.phone("carol", lab.one);

    await refers(bob.dialog, "sip:carol@sip.test");
    (await carol.nextCall()).decline(486);
    const declined = await told(bob);
    await refers(bob.dialog, "sip:nobody@sip.test");
    const unknown = await told(bob);
    await lab.untilIn("alice", "bob");

    assert.equal(declined.at(-1), "SIP/2.0 486 Busy Here");
    assert.equal(unknown.at(-1), "SIP/2.0 404 Not Found");
    assert.equal((await bob.dialog.bye()).status, 200);
    await lab.untilIn("alice");
  },
);

sipTest(
  "blindInConference() brings the target also when the transferor does not wait",
  async () => {
    await using lab = await start();
    const [alice, bob] = await both(lab, "two");
    const carol = await lab.phone("carol", lab.one);

    await refers(bob.dialog, "sip:carol@sip.test");
    const ringing = await carol.nextCall();
    await bob.dialog.bye();
    await lab.untilIn("alice");
    const dialog = await ringing.answer();
    await lab.untilIn("alice", "carol");
    await alice.dialog.bye();
    await lab.untilIn("carol");

    assert.equal((await dialog.bye()).status, 200);
  },
);

sipTest(
  "onRefer() refuses a transfer by a participant whose exit would end the conference",
  async () => {
    await using lab = await start();
    const [, bob] = await both(lab, "one", lobby(`endConferenceOnExit="true"`));

    const refused = await refers(bob.dialog, "sip:carol@sip.test");

    assert.equal(refused.start, "SIP/2.0 403 Conference Would End");
    await lab.untilIn("alice", "bob");
  },
);

sipTest("attendedInConference() has the consulted party take the transferor's place", async () => {
  await using lab = await start();
  const [alice, bob] = await both(lab, "one");
  const carol = await lab.phone("carol", lab.one);
  lab.pages.set("/bob", "<Dial><Client>carol</Client></Dial>");
  const [context, asked] = await talking(bob.phone, carol);

  const { status } = await refers(
    bob.dialog,
    `sip:carol@sip.test?Replaces=${context.dialog.replaces}`,
  );
  const heard = await told(bob);
  assert.deepEqual([status, heard.at(-1)], [202, "SIP/2.0 200 OK"]);
  await lab.untilIn("alice", "carol");
  await Promise.all([bob.dialog.ended, context.dialog.ended]);
  await asked.dialog.bye();
  await lab.untilIn("alice");
  await alice.dialog.bye();
});

for (const at of ["one", "two"] as const) {
  for (const media of ["anchored", "proxied"] as const) {
    sipTest(
      `blindInConference() has the consulted party take the transferor's place, at ${at} and another: ${media}`,
      async () => {
        await using lab = await start();
        const [alice, bob] = await both(lab, at);
        const carol = await lab.phone("carol", lab[at === "one" ? "two" : "one"]);
        lab.pages.set("/carol", "<Dial><Client>bob</Client></Dial>");
        if (media === "proxied") await withoutMarkup(lab, "carol");
        const [asked, context] = await talking(carol, bob.phone);

        const { status } = await refers(
          bob.dialog,
          `sip:carol@sip.test?Replaces=${context.dialog.replaces}`,
        );
        // If her media passed by us, she is called anew.
        const again = media === "proxied" ? await (await carol.nextCall()).answer() : asked.dialog;
        const heard = await told(bob);
        assert.deepEqual([status, heard.at(-1)], [202, "SIP/2.0 200 OK"]);
        await lab.untilIn("alice", "carol");
        await Promise.all([bob.dialog.ended, context.dialog.ended]);
        const made = await callsTo(lab, "carol");
        await again.bye();
        await lab.untilIn("alice");
        await alice.dialog.bye();

        assert.ok(made.some(({ from }: { from: string }) => from === "client:bob"));
      },
    );
  }
}

sipTest(
  "blindInConference() replaces the transferor by a target whose answer the service does not have yet",
  async () => {
    await using lab = await start();
    const [alice, bob] = await both(lab, "two");
    const carol = await lab.phone("carol", lab.one);
    lab.pages.set("/carol", "<Dial><Client>bob</Client></Dial>");
    const answers = holdBack(lab, "answered");
    const [asked, context] = await talking(carol, bob.phone);

    await refers(bob.dialog, `sip:carol@sip.test?Replaces=${context.dialog.replaces}`);
    const heard = await told(bob);
    answers.letThrough();
    assert.equal(heard.at(-1), "SIP/2.0 200 OK");
    await lab.untilIn("alice", "carol");
    await Promise.all([bob.dialog.ended, context.dialog.ended]);
    await asked.dialog.bye();
    await alice.dialog.bye();
  },
);

/** Reports of a kind reach the service no sooner than they are let through. */
function holdBack({ app }: Lab, type: string): { letThrough(): void } {
  const { fetch } = app.http;
  const { promise, resolve } = Promise.withResolvers<void>();
  app.http.fetch = async (request, ...more) => {
    if ((await request.clone().text()).includes(`"type":"${type}"`)) await promise;
    return await fetch(request, ...more);
  };
  return { letThrough: resolve };
}

sipTest(
  "blindInConference() leaves all as it was when the consulted party is gone",
  async () => {
    await using lab = await start();
    const [alice, bob] = await both(lab, "one");
    const carol = await lab.phone("carol", lab.two);
    lab.pages.set("/carol", "<Dial><Client>bob</Client></Dial>");
    const [asked, context] = await talking(carol, bob.phone);
    await asked.dialog.bye();
    await context.dialog.ended;

    await refers(bob.dialog, `sip:carol@sip.test?Replaces=${context.dialog.replaces}`);
    const heard = await told(bob);
    await lab.untilIn("alice", "bob");
    await bob.dialog.bye();
    await lab.untilIn("alice");
    await alice.dialog.bye();

    assert.match(heard.at(-1) ?? "", /^SIP\/2\.0 4\d\d /);
  },
);

/** The SDP of a call without markup passes through. */
async function withoutMarkup(lab: Lab, login: string): Promise<void> {
  const { clients } = lab.app.ports.records;
  const { accountSid, sid } = (await clients.holder("login", login))!;
  await clients.update(accountSid, sid, (record) => ({ record: { ...record, voiceUrl: null } }));
}

sipTest(
  "blindInConference() brings the target of a transferor who hangs up at once",
  async () => {
    await using lab = await start();
    const [alice, bob] = await both(lab, "one");
    const carol = await lab.phone("carol", lab.one);

    const { participants } = lab.app.ports.records;
    const { get } = participants;
    const gone = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    participants.get = async (...place) => {
      asked.resolve();
      await gone.promise;
      return await get(...place);
    };

    const { status } = await refers(bob.dialog, "sip:carol@sip.test");
    await asked.promise;
    await bob.dialog.bye();
    gone.resolve();
    const dialog = await (await carol.nextCall()).answer();
    await lab.untilIn("alice", "carol");

    assert.equal(status, 202);
    await dialog.bye();
    await lab.untilIn("alice");
    await alice.dialog.bye();
  },
);

sipTest(
  "blindInConference() leaves a transferor alone that was redirected meanwhile",
  async () => {
    await using lab = await start();
    const [alice, bob] = await both(lab, "one");
    const carol = await lab.phone("carol", lab.one);
    lab.pages.set("/elsewhere", `<Pause length="600"/>`);
    const { calls } = (await lab.app.root.get("Calls.json?From=client:bob")).json();

    await refers(bob.dialog, "sip:carol@sip.test");
    const ringing = await carol.nextCall();
    await lab.app.root.post(`Calls/${calls[0].sid}.json`, { Url: "https://app.test/elsewhere" });
    await lab.app.runJobs();
    await lab.untilIn("alice");
    ringing.ring();
    const heard = await told(bob);
    await ringing.cancelled;
    await lab.untilIn("alice");

    const tones = lab.media.legs.flatMap(({ played }) => played)
      .filter(({ samples }) => samples === ringingTone().length);
    assert.deepEqual(tones, []);
    assert.equal(heard.at(-1), "SIP/2.0 487 Request Terminated");
    assert.equal((await bob.dialog.bye()).status, 200);
    await alice.dialog.bye();
  },
);

for (const at of ["one", "two"] as const) {
  sipTest(
    `blindInConference() stops ringing when the conference ends, at ${at}`,
    async () => {
      await using lab = await start();
      const [alice, bob] = await both(lab, at);
      const carol = await lab.phone("carol", lab[at]);

      await refers(bob.dialog, "sip:carol@sip.test");
      const ringing = await carol.nextCall();
      ringing.ring();
      await bob.dialog.bye();
      await lab.untilIn("alice");
      await alice.dialog.bye();
      await lab.until(async () => (await lab.conference()).status === "completed");
      await lab.app.runJobs();
      await ringing.cancelled;
      await lab.until(async () => (await callsTo(lab, "carol"))[0].status === "canceled");

      assert.equal(await conferences(lab), 1);
    },
  );
}

sipTest("blindInConference() stops ringing when REST ends the conference", async () => {
  await using lab = await start();
  const [, bob] = await both(lab, "one");
  const carol = await lab.phone("carol", lab.one);

  await refers(bob.dialog, "sip:carol@sip.test");
  const ringing = await carol.nextCall();
  ringing.ring();
  const { sid } = await lab.conference();
  await lab.app.root.post(`Conferences/${sid}.json`, { Status: "completed" });
  await lab.app.runJobs();
  await ringing.cancelled;

  // Of the conference's end and the order to end the ringing, either may come first.
  assert.match((await told(bob)).at(-1)!, /^SIP\/2\.0 48[07] /);
});

sipTest(
  "swap() opens no conference for a side that answers after the other has ended",
  async () => {
    await using lab = await start();
    const [alice, bob] = await both(lab, "one");
    const carol = await lab.phone("carol", lab.one);

    await refers(bob.dialog, "sip:carol@sip.test");
    const ringing = await carol.nextCall();
    await bob.dialog.bye();
    await lab.untilIn("alice");
    await alice.dialog.bye();
    // The order to end the ringing waits among the jobs, which do not run here.
    await lab.until(async () => (await lab.conference()).status === "completed");
    const dialog = await ringing.answer();

    assert.equal((await dialog.ended).method, "BYE");
    assert.equal(await conferences(lab), 1);
  },
);

sipTest("calling() forgets the unanswered target of a transfer", async () => {
  await using lab = await start();
  const [, bob] = await both(lab, "one");
  const carol = await lab.phone("carol", lab.one);
  const { conferences } = lab.app.ports.records;
  const { sid } = await lab.conference();
  const called = async () => (await conferences.get(lab.app.root.sid, sid))?.called?.length;

  await refers(bob.dialog, "sip:carol@sip.test");
  const ringing = await carol.nextCall();
  const during = await called();
  ringing.decline(486);
  await told(bob);
  await lab.until(async () => await called() === 0);

  assert.equal(during, 1);
});

sipTest("attendedInConference() goes on when the transferor hangs up at once", async () => {
  await using lab = await start();
  const [, bob] = await both(lab, "one");
  const carol = await lab.phone("carol", lab.one);
  await withoutMarkup(lab, "bob");
  const [context] = await talking(bob.phone, carol);

  await refers(bob.dialog, `sip:carol@sip.test?Replaces=${context.dialog.replaces}`);
  const again = await carol.nextCall();
  await bob.dialog.bye();
  await lab.untilIn("alice");
  await again.answer();
  await lab.untilIn("alice", "carol");

  assert.match(valueOf(again.invite, "replaces"), /;to-tag=/);
});
