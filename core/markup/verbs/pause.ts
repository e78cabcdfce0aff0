import { limits } from "../../base/limits.ts";
import { verb, wholeNumber } from "../verb.ts";

/** Waits in silence; as the first verb it delays the answer. */
export const pause = verb({
  name: "Pause",
  attributes: { length: wholeNumber({ min: 1, max: limits.pauseMaxS, fallback: 1 }) },
  answers: false,
  compile: (_, { length }) => [{ type: "silence", seconds: length }],
});
