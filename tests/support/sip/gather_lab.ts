import type { GatherStep } from "../../../core/protocol/gather.ts";
import type { Script } from "../../../core/protocol/script.ts";
import type { FakeMediaLeg } from "../media/fake_media.ts";
import { invite, inviteScript, type SipLabOptions, startSipLab } from "./sip_lab.ts";

export const action = { url: "http://app.test/typed", method: "POST", hops: 1 } as const;

/** A step that takes keys; its prompt shows when it begins. */
export const gatherStep = (known: Partial<GatherStep> = {}): GatherStep => ({
  type: "gather",
  prompts: [{ type: "play", url: "http://app.test/prompt.wav", loop: 1 }],
  timeoutS: 30,
  keys: { start: "0123456789*#", finish: "#", most: 1_000 },
  action,
  ...known,
});

/** Audio that each call of `loadAudio` requests, in order; it is available at once. */
export function audioAsked() {
  const urls: string[] = [];
  const waiting = new Map<string, () => void>();
  return {
    urls,
    loadAudio: (url: string) => {
      urls.push(url);
      waiting.get(url)?.();
      return Promise.resolve(new Int16Array(160));
    },
    /** Resolves when a URL was requested. */
    asked(url: string): Promise<void> {
      if (urls.includes(url)) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(url, resolve);
      return promise;
    },
  };
}

/** Calls alice, who answers, and performs one script after another, each in answer to a report. */
export async function startGathering(scripts: Script[], options: SipLabOptions = {}) {
  const audio = audioAsked();
  const lab = await startSipLab({ loadAudio: audio.loadAudio, ...options });
  const alice = await lab.phone("alice");
  const invitation = invite("alice");
  const left = [...scripts];
  lab.service.answer = () => left.shift() ?? [];
  await lab.run(invitation.leg, inviteScript(invitation));
  const phone = await (await alice.nextCall()).answer();
  return {
    lab,
    leg: invitation.leg,
    phone,
    /** Our end of alice's audio. */
    get ours(): FakeMediaLeg {
      return lab.media.legs[0]!;
    },
    /** Resolves when the prompt of `gatherStep` is loaded. */
    prompted: () => audio.asked("http://app.test/prompt.wav"),
    asked: audio.asked,
    /** The events of the leg that were reported so far, of one type. */
    events: (type: string) =>
      lab.service.reports.filter((report) => report.leg === invitation.leg)
        .map(({ event }) => event).filter((event) => event.type === type),
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
}
