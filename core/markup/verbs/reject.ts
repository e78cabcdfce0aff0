import { z } from "zod";
import { verb } from "../verb.ts";

/** Refuses the call before it is answered; later it is a hang-up. */
export const reject = verb({
  name: "Reject",
  attributes: { reason: z.enum(["rejected", "busy"]).optional() },
  answers: false,
  isLast: true,
  compile: (_, { reason }) => [{ type: "reject", status: reason === "busy" ? 486 : 603 }],
});
