import assert from "node:assert/strict";
import {
  callParameters,
  conferenceParameters,
  dialParameters,
  gatherParameters,
  partialParameters,
  referParameters,
} from "../../../core/calls/parameters.ts";
import { queueParameters } from "../../../core/queues/enqueue.ts";
import { smsParameters } from "../../../core/messages/sms_markup.ts";
import { parameterTexts } from "../../../core/openapi/callback_parameters.ts";
import { declaredWebhooks } from "../../../core/openapi/webhooks.ts";
import type { Call } from "../../../core/resources/calls.ts";
import type { Message } from "../../../core/resources/messages.ts";
import { document } from "../../support/service/openapi.ts";

const call = {
  sid: "CA1",
  accountSid: "AC1",
  from: "a",
  to: "b",
  status: "in-progress",
  apiVersion: "2012-04-24",
  direction: "inbound",
  callerName: "A",
  answeredBy: "human",
  forwardedFrom: "c",
  startTime: 0,
  parentCallSid: "CA2",
  phoneNumberSid: "PN1",
  sipCallId: "x",
  transfer: { target: "t", transferor: "r", transferee: "e" },
} as unknown as Call;

const ofCall = Object.keys(callParameters(call, { instanceId: "i" }));
const dialled = { type: "dialled", leg: "CA3", outcome: "completed", durationS: 1, ringS: 1 };
const ended = { ...dialled, sipCallId: "x", sipStatus: 200 } as Parameters<
  typeof dialParameters
>[0];
const left = { type: "left", outcome: "completed", durationS: 1, conferenceSid: "CF1" };
const digits = { digits: "1", speech: { text: "yes", confidence: 1 } };
const referred = { type: "referred", outcome: "completed", sipStatus: 200 };
const partial = { text: "y", confidence: 1, number: 0 };

/** What each webhook is sent with, beside what every request of its call has. */
const sent: Record<string, Record<string, string>> = {
  voice: {},
  gatherAction: gatherParameters(digits as Parameters<typeof gatherParameters>[0]),
  dialAction: {
    ...dialParameters(ended),
    ...conferenceParameters(left as Parameters<typeof conferenceParameters>[0]),
  },
  referAction: referParameters(referred as Parameters<typeof referParameters>[0]),
  enqueueAction: queueParameters({ result: "bridged", waitedS: 1, queueSid: "QU1" }),
  partialSpeech: partialParameters(partial as Parameters<typeof partialParameters>[0]),
};

for (const [name, own] of Object.entries(sent)) {
  Deno.test(`the webhook ${name} is described with every parameter that it is sent with`, () => {
    const { always, sometimes = [] } = declaredWebhooks[name]!;
    const known = new Set([...always, ...sometimes]);
    const parameters = [...ofCall, ...Object.keys(own)];
    assert.deepEqual(parameters.filter((parameter) => !known.has(parameter)), []);
  });
}

Deno.test("the webhook sms is described with every parameter that it is sent with", () => {
  const message = { sid: "SM1", from: "a", to: "b", body: "c", sipHeaders: null };
  const { always } = declaredWebhooks.sms!;
  assert.deepEqual(Object.keys(smsParameters(message as Message)).sort(), [...always].sort());
});

Deno.test("every webhook is in the document, and every parameter of one has a description", () => {
  assert.deepEqual(Object.keys(document.webhooks), Object.keys(declaredWebhooks));
  const used = Object.values(declaredWebhooks)
    .flatMap(({ always, sometimes = [] }) => [...always, ...sometimes]);
  assert.deepEqual([...new Set(used)].sort(), Object.keys(parameterTexts).sort());
});
