import { limits } from "../base/limits.ts";
import type { Call } from "../model/resources/calls.ts";

/**
 * True where absent attributes have Twilio's defaults: the call was placed by the interface `/2010-04-01`, or
 * came in for a number of it.
 */
export const hasTwilioDefaults = ({ call }: { call: Pick<Call, "apiVersion"> }): boolean =>
  call.apiVersion === limits.twilioApiVersion;
