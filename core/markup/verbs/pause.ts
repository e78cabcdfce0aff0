import { limits } from "../../base/limits.ts";
import { boolean, verb, wholeNumber } from "../verb.ts";

/** Waits in silence, which delays the answer as the first verb, or with the built-in hold music. */
export const pause = verb({
  name: "Pause",
  attributes: {
    length: wholeNumber({ min: 1, max: limits.pauseMaxS, fallback: 1 }),
    music: boolean(false),
  },
  answers: false,
  compile: (_, { length, music }) => [
    { type: "silence", seconds: length, ...music && { music } },
  ],
});
