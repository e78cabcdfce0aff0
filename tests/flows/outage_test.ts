import assert from "node:assert/strict";
import { closeLostCompanions } from "../../core/reports/heartbeats.ts";
import { limits } from "../../core/base/limits.ts";
import type { Companion } from "../../sip/companion.ts";
import { type CompanionsLab, startCompanions } from "../support/service/companions_lab.ts";
import { sipTest } from "../support/sip/sip_lab.ts";
import { valueOf } from "../support/sip/sip_text.ts";

/** A service with a companion, where alice, bob and carol are registered. */
async function startThree() {
  const lab = await startCompanions(["one"]);
  const [one] = lab.companions as [Companion];
  for (const login of ["alice", "bob", "carol"]) await lab.client(login);
  const [alice, bob, carol] = [
    await lab.phone("alice", one),
    await lab.phone("bob", one),
    await lab.phone("carol", one),
  ];
  return { ...lab, alice, bob, carol };
}

/** Statuses of the calls to a Client. */
async function statusesTo({ app }: CompanionsLab, to: string): Promise<string[]> {
  const { calls } = (await app.root.get("Calls.json")).json();
  return (calls as { to: string; status: string }[])
    .filter((call) => call.to === to).map(({ status }) => status);
}

sipTest(
  "calls go on while the service is down, and it gets their reports in order afterwards",
  async () => {
    await using lab = await startThree();
    const { alice, bob, carol } = lab;
    const call = alice.call("bob");
    const [callee, caller] = await Promise.all([(await bob.nextCall()).answer(), call.answered]);
    await lab.app.root.post("Calls", {
      From: "+15550001",
      To: "client:carol",
      Url: "https://app.test/voice",
      StatusCallback: "https://app.test/events",
      StatusCallbackEvent: "initiated ringing answered completed",
    });
    await lab.app.runJobs();
    const ringing = await carol.nextCall();
    ringing.ring();
    await lab.until(async () => (await statusesTo(lab, "client:carol"))[0] === "ringing");

    await lab.stopService();
    const held = await callee.request("INVITE", { sdp: "v=0\r\n", ack: "" });
    const digit = { type: "application/dtmf-relay", content: "Signal=5\r\n" };
    const pressed = await caller.request("INFO", { body: digit });
    await (await ringing.answer()).bye();
    const registered = await alice.register();
    const text = await alice.message("bob", "hello");
    const refused = await alice.call("carol").final;
    // To the service it lasted longer than a companion may be silent.
    lab.app.clock.now += limits.companionLostMs + 10_000;
    const since = lab.app.clock.now;
    lab.startService();
    await lab.until(async () => (await statusesTo(lab, "client:carol")).includes("completed"));
    // A service that starts sweeps no companion before it had the time to beat.
    const { companions } = lab.app.ports;
    await lab.until(async () => (await companions.get("one"))!.seenAt >= since);
    await closeLostCompanions(lab.app.ports);
    const after = await statusesTo(lab, "client:bob");
    await caller.bye();
    await callee.ended;
    await lab.until(async () =>
      (await statusesTo(lab, "client:bob")).every((status) => status === "completed")
    );
    await lab.app.runJobs();

    assert.deepEqual([held.status, pressed.status, registered.status], [200, 200, 200]);
    for (const { status, retryAfter } of [text, refused].map(refusalOf)) {
      assert.equal(status, 503);
      assert.match(retryAfter, /^\d+$/);
    }
    assert.deepEqual(after, ["in-progress", "in-progress"]);
    const told = lab.app.fetched.filter(({ url }) => url === "https://app.test/events");
    const events = await Promise.all(
      told.map(async (one) => new URLSearchParams(await one.text())),
    );
    const numbered = events.map((event) => [event.get("SequenceNumber"), event.get("CallStatus")]);
    assert.deepEqual(numbered.sort(), [
      ["0", "initiated"],
      ["1", "ringing"],
      ["2", "in-progress"],
      ["3", "completed"],
    ]);
  },
);

const refusalOf = (response: Parameters<typeof valueOf>[0]) => ({
  status: response.status,
  retryAfter: valueOf(response, "retry-after"),
});
