import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import type { App } from "../service/app.ts";
import { companion, companionOf, made, xml } from "../service/hand_companion.ts";

export const leg = (digit: string) => `CA${digit.repeat(32)}`;

/** The call of a Client with this markup, whose leg a test moves by hand. */
export async function caller(app: App, digit: string, markup: string, at = companion) {
  const login = `client-${digit}`;
  const { sid: clientSid } = await made(app.root, "Clients", {
    Login: login,
    Password: "secret",
    VoiceUrl: "https://app.test/voice",
  });
  app.answers = () => xml(markup);
  const hand = companionOf(app, leg(digit));
  const script = await hand.report(
    { type: "incoming", login, clientSid, uri: "sip:x@sip.test", sipCallId: "c", headers: {} },
    { companion: at },
  );
  return { ...hand, leg: leg(digit), script };
}

export type Caller = Awaited<ReturnType<typeof caller>>;

/** Performs a script as far as the steps in place of its `consult`, its first step or the second. */
export async function consult(
  { report }: Pick<Caller, "report">,
  script: Script,
  at = companion,
): Promise<Script> {
  const step = script.find(({ type }) => type === "consult");
  assert.ok(step?.type === "consult", Deno.inspect(script));
  const { serviceContext, action } = step;
  return await report({ type: "consulting", serviceContext, ...action && { action } }, {
    companion: at,
  });
}
