import type { FaultEntry } from "./fault_entry.ts";

/** Recordings and their audio. */
export const recordingFaults = {
  recordingBrokeOff: {
    kind: "unavailable",
    code: 13260,
    message: "Cannot complete the recording",
    advice: "The companion stopped, or the storage was full. The audio up to that moment is kept.",
  },
  recordingEnded: {
    kind: "invalid",
    code: 13264,
    message: "Cannot change a recording that has ended",
    advice: "Pause, resume or stop a recording while its Status is in-progress or paused.",
  },
  recordingLimit: {
    kind: "invalid",
    code: 13265,
    message: "Cannot record the call once more",
    advice: "Stop one of the recordings of the call that are in progress, then start another.",
  },
  recordingNotStored: {
    kind: "unavailable",
    code: 13261,
    message: "Cannot store the audio of a recording",
    advice: "The operator frees disk space, or repairs the object storage (S3_ENDPOINT). The " +
      "service retries.",
  },
  recordingNotDeleted: {
    kind: "unavailable",
    code: 13263,
    message: "Cannot delete the audio of a recording",
    advice: "The service retried for hours. The operator deletes the audio on the disk or in the " +
      "object storage.",
  },
  badRange: {
    kind: "unsatisfiable",
    code: 20416,
    message: "Cannot satisfy the Range header",
    advice: "Request bytes below the length in the Content-Range header.",
  },
} as const satisfies Record<string, FaultEntry>;
