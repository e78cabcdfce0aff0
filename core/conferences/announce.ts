import { waitScript } from "../documents/next_script.ts";
import { exponential } from "../model/job.ts";
import { announceInConference, type ArgsOf } from "../model/job_kinds.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import type { Script } from "../protocol/script.ts";
import { present } from "./membership.ts";
import { order } from "./modify.ts";

/** Steps that need no input of the participants who hear them. */
const audible: Script[number]["type"][] = ["play", "say", "digits", "silence"];

/**
 * Performs `announceInConference`. The document is requested once: for a participant with the parameters
 * of its call, for all with those of the call that joined first. A document that cannot be had leaves a
 * Notification.
 */
export const announceHandler: JobHandler<ArgsOf<typeof announceInConference>> = handler(
  announceInConference,
  {
    maxAttempts: 5,
    retryMs: exponential(250, 4_000),
    async work(
      { accountSid, conferenceSid, callSid, url, method },
      ports,
      { id, madeAt, signal },
    ) {
      const conference = await ports.records.conferences.get(accountSid, conferenceSid);
      if (conference === null || conference.status === "completed") return;
      const [first] = present(conference).toSorted((one, other) => one.at - other.at);
      const call = await ports.records.calls.get(accountSid, callSid ?? first?.callSid ?? "");
      if (call === null) return; // No participant hears it.
      const cause = { at: madeAt, id };
      const params = { ConferenceSid: conferenceSid, FriendlyName: conference.friendlyName };
      const context = { call, ports, signal, cause };
      const heard = await waitScript({ url, method, hops: 0 }, params, context);
      const script = heard.filter(({ type }) => audible.includes(type));
      if (script.length === 0) return;
      const leg = callSid === undefined ? {} : { leg: callSid };
      const named = { accountSid, conferenceSid };
      await order(named, { type: "announce", ...leg, script }, ports);
    },
  },
);
