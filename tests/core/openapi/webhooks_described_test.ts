import assert from "node:assert/strict";
import { parameterTexts } from "../../../core/openapi/callback_parameters.ts";
import { declaredWebhooks } from "../../../core/openapi/declared_webhooks.ts";
import { document } from "../../support/service/openapi.ts";
import { assertWebhook } from "../../support/service/webhook_forms.ts";

Deno.test("every webhook is in the document, and every parameter of one has a description", () => {
  assert.deepEqual(Object.keys(document.webhooks), Object.keys(declaredWebhooks));
  const used = Object.values(declaredWebhooks)
    .flatMap(({ always, sometimes = [] }) => [...always, ...sometimes]);
  assert.deepEqual([...new Set(used)].sort(), Object.keys(parameterTexts).sort());
});

const sid = (prefix: string) => prefix + "1".repeat(32);
const recorded = {
  AccountSid: sid("AC"),
  CallSid: sid("CA"),
  RecordingSid: sid("RE"),
  RecordingUrl: "http://api.test/r.wav",
  RecordingStatus: "completed",
  RecordingDuration: "4",
  RecordingChannels: "1",
  RecordingStartTime: "Wed, 31 Jan 2024 12:00:00 +0000",
};
const { RecordingUrl: _, ...incomplete } = recorded;

for (
  const [what, form] of Object.entries({
    "a parameter that it lacks": { ...recorded, Colour: "red" },
    "a required parameter missing": incomplete,
    "a value that it lacks": { ...recorded, RecordingStatus: "paused" },
  })
) {
  Deno.test(`a request with ${what} is no webhook of the document`, () => {
    assertWebhook("recordingStatus", recorded);
    assert.throws(() => assertWebhook("recordingStatus", form), /recordingStatus|Recording/i);
  });
}
