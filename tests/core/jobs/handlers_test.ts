import assert from "node:assert/strict";
import { handlers } from "../../../core/jobs/mod.ts";
import * as kinds from "../../../core/model/job_kinds.ts";
import { endUnheardStream } from "../../../core/streams/create_stream.ts";
import { webhookDelivery } from "../../../core/webhooks/deliver.ts";
import { replayFailed } from "../../../core/webhooks/replay_failed.ts";

Deno.test("every kind of job has one handler", () => {
  const declared = [...Object.values(kinds), endUnheardStream, webhookDelivery, replayFailed];

  assert.deepEqual(
    handlers.map(({ kind }) => kind).sort(),
    declared.map(({ kind }) => kind).sort(),
  );
});
