import type { Recorded } from "../protocol/recordings.ts";
import { linkTo } from "./link.ts";

/** What the request of an action carries of a recording; nothing where there is none. */
export async function recordingParameters(
  accountSid: string,
  recorded: Recorded | undefined,
  ports: Parameters<typeof linkTo>[1],
): Promise<Record<string, string>> {
  if (recorded === undefined) return {};
  const { sid, durationS } = recorded;
  return {
    RecordingUrl: await linkTo({ accountSid, sid }, ports),
    RecordingSid: sid,
    RecordingDuration: String(durationS),
  };
}
