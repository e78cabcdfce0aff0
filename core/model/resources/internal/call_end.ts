import { z } from "zod";
import { disconnection } from "../../../protocol/disconnection.ts";

/** Interface by which a request reached the service. */
const requestPaths = [
  /** The REST interface. */
  "interface",
  /** The interface of Twilio's libraries. */
  "twilio-interface",
  "console",
] as const;

/** The credentials of a request that ended a call. */
export const requester = z.object({
  /** Sid of the account, or of the API key. */
  sid: z.string(),
  /**
   * E-mail address of the account, or the name of the API key. Null for credentials of an account
   * above that of the call, whose own accounts must not see them.
   */
  name: z.string().nullable(),
  path: z.enum(requestPaths),
});

export type Requester = z.infer<typeof requester>;

/** End of a call: the side, the cause, and the request that ended it. */
export const callEnd = disconnection.extend({
  sipStatus: z.number().int().optional(),
  requester: requester.optional(),
});
