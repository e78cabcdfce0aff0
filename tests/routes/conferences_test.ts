import assert from "node:assert/strict";
import { startApp } from "../support/app.ts";
import { makeParticipant, makeSample } from "../support/samples.ts";

Deno.test("Participants lists the legs in a conference, each read by its call's Sid", async () => {
  using app = await startApp();
  const rooms = [1, 2].map((n) => makeSample(app, app.root, { name: "conferences", n }));
  const [one, two] = await Promise.all(rooms);
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
