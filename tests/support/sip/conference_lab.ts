import { companionRequests } from "../../../core/protocol/requests.ts";
import type { ConferenceOrder } from "../../../core/protocol/companion.ts";
import type { ConferenceStep } from "../../../core/protocol/conferences.ts";
import type { Script } from "../../../core/protocol/script.ts";
import { type SipLab, type SipLabOptions, startSipLab } from "./sip_lab.ts";
import { talkAt, type Talker } from "../media/talker.ts";
import { workerEngine } from "../media/worker_engine.ts";

export const conferenceSid = `CF${"c".repeat(32)}`;

/** A conference that a leg is put into, without beeps and with silence as wait sound. */
export const conferenceStep = (changes: Partial<ConferenceStep> = {}): ConferenceStep => ({
  type: "conference",
  conferenceSid,
  most: 40,
  muted: false,
  beepOnEnter: false,
  beepOnExit: false,
  startOnEnter: true,
  endOnExit: false,
  wait: null,
  timeLimitS: 60,
  ...changes,
});

/** A companion with media of its own, for plain RTP. */
export async function startConferenceLab(options: SipLabOptions = {}): Promise<SipLab> {
  return await startSipLab({ engine: await workerEngine(), ...options });
}

/** Has a softphone call, whose leg performs a script, and say a tone. */
export async function enter(
  lab: SipLab,
  { login, hz, script }: { login: string; hz: number; script: Script },
): Promise<Talker & { leg: string }> {
  const before = lab.service.answer;
  lab.service.answer = (report) =>
    report.event.type === "incoming" && report.event.login === login ? script : before(report);
  const talker = await talkAt(await lab.phone(login), "sip:conference@sip.test", hz);
  const { leg } = await lab.service.reported(({ event }) =>
    event.type === "incoming" && event.sipCallId === talker.callId
  );
  return { ...talker, leg };
}

/** Has the companion do something in the conference. */
export async function order(lab: SipLab, order: ConferenceOrder["order"]): Promise<boolean> {
  const content = { conferenceSid, order };
  const answer = await lab.service.order(
    lab.companion.bridgeUrl,
    companionRequests.conference.path,
    content,
  );
  return (await answer.json()).isKnown;
}

/** As `sipTest`, with more patience: these listen until they have heard what they wait for. */
export const conferenceTest = (name: string, fn: () => Promise<void>): void =>
  Deno.test({ name, fn, timeout: 120_000 });
