import assert from "node:assert/strict";
import { type App, startApp } from "../support/service/app.ts";
import { companion } from "../support/service/hand_companion.ts";
import { makeParticipant, makeSample } from "../support/service/samples.ts";

Deno.test("Participants lists the legs in a conference, each read by its call's Sid", async () => {
  using app = await startApp();
  const conferences = [1, 2].map((n) => makeSample(app, app.root, { name: "conferences", n }));
  const [one, two] = await Promise.all(conferences);
  const calls = [];
  for (const n of [1, 2, 3]) calls.push(await makeSample(app, app.root, { name: "calls", n }));
  await makeParticipant(app, one!, calls[0]!);
  await makeParticipant(app, two!, calls[1]!);
  await makeParticipant(app, one!, calls[2]!);

  const list = (await app.root.get(`Conferences/${one}/Participants.json`)).json();

  assert.deepEqual(
    [list.total, list.participants.map((each: { call_sid: string }) => each.call_sid)],
    [2, [calls[2], calls[0]]],
  );
  const [first] = list.participants;
  assert.deepEqual((await app.root.get(first.uri)).json(), first);
  assert.ok(first.uri.endsWith(`/Conferences/${one}/Participants/${calls[2]}.json`));
  const xml = await app.root.get(`Conferences/${one}/Participants?Muted=false`);
  assert.match(xml.text, /<Participants page="0".*<Participant><DateCreated>/);

  for (
    const path of [`${two}/Participants/${calls[0]}`, `CF1/Participants`, `${one}/Participants/x`]
  ) {
    assert.equal((await app.root.get(`Conferences/${path}`)).status, 404, path);
  }
});

Deno.test("Conferences are filtered by their name and Status", async () => {
  using app = await startApp();
  for (const n of [1, 2]) await makeSample(app, app.root, { name: "conferences", n });

  assert.equal((await app.root.get("Conferences.json?Status=init")).json().total, 2);
  assert.equal((await app.root.get("Conferences.json?Status=completed")).json().total, 0);
  assert.equal((await app.root.get("Conferences.json?Status=over")).status, 400);
});

/** A conference in which one call is, at a companion. */
async function meeting(app: App) {
  const sid = await makeSample(app, app.root, { name: "conferences" });
  const call = await makeSample(app, app.root, { name: "calls" });
  const { conferences } = app.ports.records;
  await conferences.update(app.root.sid, sid, (conference) => ({
    record: {
      ...conference,
      companion,
      statusCallback: "https://app.test/events",
      statusCallbackEvent: ["mute", "hold", "leave", "end"],
    },
  }));
  await makeParticipant(app, sid, call);
  return { sid, call, path: `Conferences/${sid}/Participants/${call}` };
}

const eventsOf = async (app: App) => {
  await app.runJobs();
  const forms = await Promise.all(
    app.fetched.map(async (one) => new URLSearchParams(await one.clone().text())),
  );
  return forms.map((form) => form.get("StatusCallbackEvent")).toSorted();
};

Deno.test("POST Participants/{CallSid} mutes and holds at the companion, then in the record", async () => {
  using app = await startApp();
  const { sid, call, path } = await meeting(app);

  const muted = await app.root.post(`${path}.json`, { Mute: "true" });
  assert.deepEqual([muted.status, muted.json().muted, muted.json().hold], [200, true, false]);
  const held = await app.root.put(`${path}.json`, { Muted: "false", Hold: "true" });
  assert.deepEqual([held.json().muted, held.json().hold], [false, true]);
  assert.deepEqual((await app.root.get(`${path}.json`)).json(), held.json());
  assert.equal((await app.root.post(`${path}.json`, { Hold: "true" })).status, 200);

  const change = { conferenceSid: sid, order: { type: "change", leg: call } };
  assert.deepEqual(app.conferenceOrders, [
    { ...change, order: { ...change.order, muted: true } },
    { ...change, order: { ...change.order, muted: false, held: true } },
    { ...change, order: { ...change.order, held: true } },
  ]);
  assert.deepEqual(await eventsOf(app), [
    "participant-hold",
    "participant-mute",
    "participant-unmute",
  ]);
  const list = (await app.root.get(`Conferences/${sid}/Participants.json?Hold=true`)).json();
  assert.equal(list.total, 1);
});

Deno.test("POST Participants/{CallSid} answers 404 where the leg is not, and changes nothing", async () => {
  using app = await startApp();
  const { path, sid } = await meeting(app);
  app.knowsConference = false;

  assert.equal((await app.root.post(`${path}.json`, { Mute: "true" })).status, 404);
  assert.equal((await app.root.get(`${path}.json`)).json().muted, false);
  for (const other of [`Conferences/${sid}/Participants/CA1`, `Conferences/CF1/Participants/x`]) {
    assert.equal((await app.root.post(other, { Mute: "true" })).status, 404);
    assert.equal((await app.root.delete(other)).status, 404);
  }
});

Deno.test("DELETE Participants/{CallSid} has the leg leave, and takes it off the list at once", async () => {
  using app = await startApp();
  const { sid, call, path } = await meeting(app);

  assert.equal((await app.root.delete(path)).status, 204);

  assert.deepEqual(app.conferenceOrders, [{
    conferenceSid: sid,
    order: { type: "remove", leg: call },
  }]);
  assert.equal((await app.root.get(path)).status, 404);
  assert.equal((await app.root.get(`Conferences/${sid}.json`)).json().status, "completed");
  assert.deepEqual(await eventsOf(app), ["conference-end", "participant-leave"]);
});

Deno.test("POST Conferences/{Sid} Status=completed ends it once, for all", async () => {
  using app = await startApp();
  const { sid } = await meeting(app);

  const ended = await app.root.post(`Conferences/${sid}.json`, { Status: "completed" });
  assert.deepEqual([ended.status, ended.json().status], [200, "completed"]);
  const again = await app.root.post(`Conferences/${sid}.json`, { Status: "completed" });
  assert.deepEqual([again.status, again.json().code], [400, 21222]);

  assert.deepEqual(await eventsOf(app), [], "its participants have not left yet");
  assert.deepEqual(app.conferenceOrders, [{ conferenceSid: sid, order: { type: "end" } }]);
  const other = await app.subAccount(app.root, "other");
  const foreign = await makeSample(app, other, { name: "conferences" });
  const answer = await app.root.post(`Conferences/${foreign}.json`, { Status: "completed" });
  assert.equal(answer.status, 404);
});
