import { limits } from "../../core/base/limits.ts";
import type { Requester } from "../../core/resources/internal/call_end.ts";
import type { Ctx } from "./env.ts";
import { ownRequests } from "./own_requests.ts";

/** The credentials of a request and how it came: the end of a call names them. */
export function requesterOf(c: Ctx): Requester {
  const { caller, key } = c.var;
  const named = key === undefined
    ? { sid: caller.sid, name: caller.emailAddress }
    : { sid: key.sid, name: key.friendlyName };
  return { ...named, path: pathOf(c) };
}

function pathOf({ req }: Ctx): Requester["path"] {
  if (ownRequests.has(req.raw)) return "console";
  return req.path.startsWith(`/${limits.twilioApiVersion}/`) ? "twilio-interface" : "interface";
}
