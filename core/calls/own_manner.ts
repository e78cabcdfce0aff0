import type { Application } from "../model/resources/applications.ts";
import type { Call } from "../model/resources/calls.ts";

/** Method and fallback of the request to an application's RcmlUrl; a flow needs neither. */
export const ownManner = (
  application: Application | null,
): Pick<Call, "method" | "fallbackUrl" | "fallbackMethod"> => ({
  method: application?.voiceMethod ?? "POST",
  fallbackUrl: application?.voiceFallbackUrl ?? null,
  fallbackMethod: application?.voiceFallbackMethod ?? "POST",
});

/** The status callback that an application has requested at the end of its calls; empty without one. */
export const ownCallback = (
  application: Application | null,
): Partial<Pick<Call, "statusCallback" | "statusCallbackMethod" | "statusCallbackEvent">> =>
  !application?.statusCallback ? {} : {
    statusCallback: application.statusCallback,
    statusCallbackMethod: application.statusCallbackMethod ?? "POST",
    statusCallbackEvent: ["completed"],
  };
