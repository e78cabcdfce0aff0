import assert from "node:assert/strict";
import type { Action } from "../../../core/protocol/action.ts";
import type { Script } from "../../../core/protocol/script.ts";
import { isFlow } from "../../../core/model/flows/address.ts";
import type { App } from "./app.ts";
import { companionOf, made } from "./hand_companion.ts";

/** Makes an application that holds a flow. */
export const flowApplication = (app: App, flow: unknown, Kind = "voice") =>
  made(app.root, "Applications", { FriendlyName: "flow", Kind, Flow: JSON.stringify(flow) });

/** A flow of steps, the first of which is first. */
export const flowOf = (steps: Record<string, unknown>, more: object = {}) => ({
  start: Object.keys(steps)[0],
  steps,
  ...more,
});

export const number = "+14155550150";

/** A call to a number whose voice application holds a flow, and the script that answers it. */
export async function calledFlow(app: App, flow: unknown) {
  const { sid: VoiceApplicationSid } = await flowApplication(app, flow);
  const form = { PhoneNumber: number, VoiceApplicationSid };
  const { sid: numberSid } = await made(app.root, "IncomingPhoneNumbers", form);
  const callSid = app.ports.newSid("CA");
  const leg = companionOf(app, callSid);
  const script = await leg.report({
    type: "incomingNumber",
    numberSid,
    dialled: number,
    from: { user: "+12025550199", host: "carrier.test" },
    hops: 0,
    sipCallId: "sip-1",
    headers: {},
  });
  return { callSid, leg, script, numberSid, applicationSid: VoiceApplicationSid };
}

/** The action of the step in a script that has one, which leads back into the flow. */
export function actionOf(script: Script): Action {
  const found = script.flatMap((step) => "action" in step && step.action ? [step.action] : []);
  assert.ok(found[0] && isFlow(found[0].url), JSON.stringify(script));
  return found[0];
}

/** The action of the last step, where the script goes on when its other steps brought nothing. */
export function nextOf(script: Script): Action {
  const last = script.at(-1);
  assert.ok(last?.type === "next" && isFlow(last.action.url), JSON.stringify(script));
  return last.action;
}

/** The steps of a script without what leads back into the flow. */
export const plain = (script: Script) =>
  script.filter((step) => !(step.type === "next" && isFlow(step.action.url))).map((step) => {
    if (!("action" in step) || !step.action) return step;
    const { action: _, ...rest } = step;
    return rest;
  });
