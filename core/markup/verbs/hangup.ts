import { verb } from "../verb.ts";

/** Ends the call. */
export const hangup = verb({
  name: "Hangup",
  attributes: {},
  answers: true,
  takesTime: false,
  isLast: true,
  compile: () => [{ type: "hangup" }],
});
