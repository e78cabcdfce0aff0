import { verb } from "../verb.ts";

/** Leaves the queue that the document is heard in; elsewhere it does nothing. */
export const leave = verb({
  name: "Leave",
  attributes: {},
  answers: false,
  compile: () => [{ type: "leave" }],
});
