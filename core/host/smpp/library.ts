import smpp from "smpp";

/** What is used of the library, which has no types of its own. */

/** A unit of the protocol; what of it is text is decoded by its data_coding. */
export interface Pdu {
  command: string;
  command_status: number;
  message_id?: string;
  esm_class?: number;
  source_addr?: string;
  source_addr_ton?: number;
  destination_addr?: string;
  short_message?: { message?: string | Uint8Array };
  message_payload?: { message?: string | Uint8Array };
  receipted_message_id?: string;
  message_state?: number;
  response(fields?: Record<string, unknown>): Pdu;
}

export interface LibrarySession {
  on(event: string, listener: (pdu: Pdu) => void): void;
  /** False when the connection is not there. */
  send(pdu: Pdu, onAnswer?: (answer: Pdu) => void): boolean;
  destroy(): void;
}

interface Library {
  connect(options: Record<string, unknown>): LibrarySession;
  PDU: new (command: string, fields: Record<string, unknown>) => Pdu;
  errors: Record<string, number>;
  encodings: Record<
    "ASCII" | "UCS2",
    { match(text: string): boolean; encode(text: string): Uint8Array }
  >;
}

export const { connect, PDU, errors, encodings } = smpp as unknown as Library;

/** The name of a command_status (SMPP 3.4 §5.1.3). */
export const statusName = (status: number): string =>
  Object.entries(errors).find(([, code]) => code === status)?.[0] ??
    `status 0x${status.toString(16)}`;
