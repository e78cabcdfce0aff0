import { limits } from "../../base/limits.ts";
import { verb, wholeNumber } from "../verb.ts";

/** Lets the caller hear itself: what it says comes back at once. An addition of this service. */
export const echo = verb({
  name: "Echo",
  attributes: {
    timeLimit: wholeNumber({ min: 1, max: limits.pauseMaxS, fallback: limits.echoS }),
  },
  answers: true,
  compile: (_, { timeLimit }) => [{ type: "echo", seconds: timeLimit }],
});
