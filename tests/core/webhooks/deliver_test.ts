import assert from "node:assert/strict";
import { deliverWebhook, type Webhook } from "../../../core/webhooks/deliver.ts";

const callback: Webhook = {
  accountSid: "AC1",
  callSid: "CA1",
  url: "https://app.test/calls",
  method: "POST",
  params: {},
};
const laneOf = (more: Partial<Webhook> = {}) => deliverWebhook({ ...callback, ...more }).lane;

Deno.test("callbacks of an account to one host and port share their back-off, whatever they report", () => {
  const recording = { url: "https://app.test/recordings", event: "recording.completed" };

  assert.equal(laneOf(recording), laneOf());
  assert.equal(laneOf({ callSid: null, series: "CF1", event: "conference.end" }), laneOf());
});

Deno.test("callbacks to another host or port, and of another account, have a back-off of their own", () => {
  const others = [
    { url: "https://recordings.app.test/calls" },
    { url: "https://app.test:8443/calls" },
    { accountSid: "AC2" },
  ];

  const lanes = [laneOf(), ...others.map(laneOf)];
  assert.equal(new Set(lanes).size, lanes.length);
});
