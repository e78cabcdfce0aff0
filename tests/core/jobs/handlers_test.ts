import assert from "node:assert/strict";
import { handlers } from "../../../core/jobs/mod.ts";
import * as kinds from "../../../core/model/job_kinds.ts";
import { webhookDelivery } from "../../../core/webhooks/deliver.ts";
import { replayFailed } from "../../../core/webhooks/replay_failed.ts";

Deno.test("every kind of job has one handler", () => {
  const declared = [...Object.values(kinds), webhookDelivery, replayFailed].map(({ kind }) => kind);

  assert.deepEqual(handlers.map(({ kind }) => kind).sort(), declared.sort());
});
