import type { Recorded } from "../protocol/recordings.ts";
import type { Call } from "../model/resources/calls.ts";
import { callbackUrl } from "./link.ts";

/** Parameters of a recording in the request to an action; empty without a recording. */
export async function recordingParameters(
  { accountSid, apiVersion }: Pick<Call, "accountSid" | "apiVersion">,
  recorded: Recorded | undefined,
  ports: Parameters<typeof callbackUrl>[1],
): Promise<Record<string, string>> {
  if (recorded === undefined) return {};
  const { sid, durationS } = recorded;
  return {
    RecordingUrl: await callbackUrl({ accountSid, sid, apiVersion }, ports),
    RecordingSid: sid,
    RecordingDuration: String(durationS),
  };
}
