import assert from "node:assert/strict";
import { startCompanions } from "../support/service/companions_lab.ts";
import { flowApplication, flowOf } from "../support/service/flow_lab.ts";
import { sipTest } from "../support/sip/sip_lab.ts";

sipTest("a companion hands the places of a flow back, and the flow goes on", async () => {
  await using lab = await startCompanions(["one"]);
  const flow = flowOf({
    ask: { type: "gather", timeout: 1, noInput: "mail" },
    mail: {
      type: "email",
      from: "a@app.test",
      to: "b@app.test",
      subject: "$From said nothing",
      text: "$Digits$kept",
      next: "bye",
    },
    bye: { type: "hangup" },
  }, { variables: { kept: "x" } });
  const { sid: VoiceApplicationSid } = await flowApplication(lab.app, flow);
  const client = await lab.client("alice");
  const answer = await lab.app.root.post(`Clients/${client}.json`, { VoiceApplicationSid });
  assert.equal(answer.status, 200, answer.text);
  const alice = await lab.phone("alice", lab.companions[0]!);

  const dialog = await alice.call("anybody").answered;
  await dialog.ended;
  await lab.until(async () => (await lab.app.runJobs(), lab.app.mailed.length > 0));

  assert.deepEqual(
    lab.app.mailed.map(({ subject, body }) => [subject, body]),
    [["client:alice said nothing", "x"]],
  );
  assert.deepEqual(lab.app.fetched, []);
});
