import { verb } from "../verb.ts";

/** Ends the call. */
export const hangup = verb({
  name: "Hangup",
  attributes: {},
  answers: true,
  isLast: true,
  compile: () => [{ type: "hangup" }],
});
