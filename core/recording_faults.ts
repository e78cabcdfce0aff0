import type { FaultEntry } from "./faults.ts";

/** The part of the table of faults that is about recordings and their audio. */
export const recordingFaults = {
  recordingBrokeOff: {
    kind: "unavailable",
    code: 13260,
    message: "Cannot record to the end",
    advice: "A part of the service stopped, or had no room. The audio is there up to that moment.",
  },
  recordingNotStored: {
    kind: "unavailable",
    code: 13261,
    message: "Cannot store the audio of a recording",
    advice: "The operator must make room on the disk, or let the object storage take it (S3_…). " +
      "It is tried again.",
  },
  recordingNotDeleted: {
    kind: "unavailable",
    code: 13263,
    message: "Cannot delete the audio of a recording",
    advice: "The operator must delete it: the disk or the object storage did not for hours.",
  },
  badRange: {
    kind: "unsatisfiable",
    code: 20416,
    message: "Cannot answer the range",
    advice: "Ask for bytes before the end that Content-Range tells.",
  },
} as const satisfies Record<string, FaultEntry>;
