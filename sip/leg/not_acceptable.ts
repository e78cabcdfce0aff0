import { Refused, statusToPass } from "../base/refused.ts";
import { type Mismatch, NoCommonCodec } from "../media/mod.ts";
import type { Refusal } from "../base/refusal.ts";
import { type WarnCode, warnCodes, warning } from "../base/warning.ts";

const codes: Readonly<Record<Mismatch, WarnCode>> = {
  "media type": warnCodes.mediaType,
  transport: warnCodes.transport,
  address: warnCodes.addressType,
  codec: warnCodes.mediaFormat,
  description: warnCodes.sessionDescription,
};

/**
 * The Warning of a 488 (RFC 3261 §21.4.26): which part of the session description we cannot take;
 * without an error of ours, that the other side of the call refused it.
 */
export function mediaWarning(domain: string, error?: unknown): string {
  if (error instanceof NoCommonCodec) {
    return warning(domain, error.message, codes[error.mismatch]);
  }
  if (error === undefined || error instanceof Refused) {
    return warning(domain, "The other side of the call does not take the media that were offered");
  }
  return warning(domain, error instanceof Error ? error.message : String(error));
}

/** The refusal of a request in a dialog, with the reason for a 488. */
export function refusalToPass(domain: string, error: unknown): Refusal {
  const statusCode = statusToPass(error);
  return statusCode === 488
    ? { statusCode, extraHeaders: [mediaWarning(domain, error)] }
    : { statusCode };
}
