import { callFaults } from "./faults/call_faults.ts";
import { documentFaults } from "./faults/document_faults.ts";
import type { FaultKind } from "./faults/fault_entry.ts";
import { messageFaults } from "./faults/message_faults.ts";
import { recordingFaults } from "./faults/recording_faults.ts";
import { requestFaults } from "./faults/request_faults.ts";
import { streamFaults } from "./faults/stream_faults.ts";

export type { FaultKind } from "./faults/fault_entry.ts";

/** Every way the service can refuse, or a call can fail, listed once. */
export const faults = {
  ...requestFaults,
  ...callFaults,
  ...documentFaults,
  ...recordingFaults,
  ...messageFaults,
  ...streamFaults,
};

export type FaultName = keyof typeof faults;

/** Options of a Fault. */
export interface FaultOptions extends ErrorOptions {
  /** Seconds after which a retry may succeed, if known. */
  retryAfterS?: number;
}

/** A refusal that the caller is meant to see. Anything else that is thrown is a bug. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly kind: FaultKind;
  readonly code: number;
  readonly retryAfterS: number | undefined;

  constructor(readonly fault: FaultName, readonly detail?: string, options?: FaultOptions) {
    super(faults[fault].message + (detail === undefined ? "" : `: ${detail}`), options);
    this.kind = faults[fault].kind;
    this.code = faults[fault].code;
    this.retryAfterS = options?.retryAfterS;
  }
}
