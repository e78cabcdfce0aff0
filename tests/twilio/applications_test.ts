import assert from "node:assert/strict";
import { startTwilioLab } from "../support/service/twilio_lab.ts";

Deno.test("npm twilio creates, fetches, updates, lists and removes an Application", async () => {
  await using lab = await startTwilioLab();
  const { applications } = lab.client;

  const made = await applications.create({
    friendlyName: "IVR",
    voiceUrl: "https://app.test/voice",
  });
  const fetched = await applications(made.sid).fetch();
  const updated = await applications(made.sid).update({ friendlyName: "Menu" });

  assert.equal(fetched.voiceUrl, "https://app.test/voice");
  assert.equal(fetched.dateCreated.getTime(), lab.app.clock.now);
  assert.equal(updated.friendlyName, "Menu");
  assert.deepEqual((await applications.list({ friendlyName: "Menu" })).map(({ sid }) => sid), [
    made.sid,
  ]);
  assert.equal(await applications(made.sid).remove(), true);
  await assert.rejects(applications(made.sid).fetch(), { status: 404, code: 20404 });
});
