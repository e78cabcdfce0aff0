import smpp from "smpp";

/** The part of the library that is used; it has no types of its own. */

/** Content of a short_message or message_payload, and the elements of the header before it. */
export interface Content {
  /** A text where it is in a national alphabet that the header names. */
  message?: string | Uint8Array;
  udh?: Uint8Array[];
}

/** A unit of the protocol. */
export interface Pdu {
  command: string;
  command_status: number;
  message_id?: string;
  esm_class?: number;
  source_addr?: string;
  source_addr_ton?: number;
  destination_addr?: string;
  data_coding?: number;
  short_message?: Content;
  message_payload?: Content;
  sar_msg_ref_num?: number;
  sar_total_segments?: number;
  sar_segment_seqnum?: number;
  receipted_message_id?: string;
  message_state?: number;
  /** Its content could not be read as a whole. */
  isBroken?: boolean;
  isResponse(): boolean;
  response(fields?: Record<string, unknown>): Pdu;
}

/** A connection to a message center. */
export interface LibrarySession {
  on(event: "error", listener: (error: unknown) => void): void;
  on(event: string, listener: (pdu: Pdu) => void): void;
  /** False when the connection is not there. */
  send(pdu: Pdu, onAnswer?: (answer: Pdu) => void): boolean;
  destroy(): void;
}

interface Library {
  connect(options: Record<string, unknown>): LibrarySession;
  PDU: (new (command: string, fields: Record<string, unknown>) => Pdu) & {
    /** Length of the PDU that begins in a stream; false while its length has not come. */
    commandLength(stream: unknown): number | false;
    prototype: { fromBuffer(octets: Uint8Array): void };
  };
  errors: { ESME_RX_R_APPN: number; [name: string]: number };
  encodings: Record<"ASCII" | "LATIN1" | "UCS2", Alphabet>;
}

interface Alphabet {
  match(text: string): boolean;
  encode(text: string): Uint8Array;
  decode(octets: Uint8Array): string | Uint8Array;
}

/** The library, by the names it has there; its package has no types. */
export const { connect, PDU, errors } = smpp as unknown as Library;
const { encodings } = smpp as unknown as Library; // As above.

/** Its alphabets: `gsm` is that of GSM 03.38, one octet a character. */
export const alphabets = { gsm: encodings.ASCII, ucs2: encodings.UCS2 };

/**
 * The library reads only four bits of a data_coding, and takes IA5 for GSM 03.38. Its decoders are
 * replaced by one that returns the octets unchanged; `textOf` decodes them.
 */
for (const [name, alphabet] of Object.entries(encodings)) {
  encodings[name as keyof Library["encodings"]] = { ...alphabet, decode: (octets) => octets };
}

/** No PDU is shorter than its header (SMPP 3.4 §3.2); the library would wait for what follows it. */
const { commandLength } = PDU;
PDU.commandLength = (stream) => {
  const length = commandLength(stream);
  if (length !== false && length < 16) throw new Error(`PDU length was too small (${length})`);
  return length;
};

/** A PDU of which a parameter is torn would cost the session again, each time it is sent again. */
const { fromBuffer } = PDU.prototype;
PDU.prototype.fromBuffer = function (this: Pdu, octets) {
  try {
    fromBuffer.call(this, octets);
  } catch (error) {
    if (this.command === undefined) throw error;
    this.isBroken = true;
  }
};

/** The name of a command_status (SMPP 3.4 §5.1.3). */
export const statusName = (status: number): string =>
  Object.entries(errors).find(([, code]) => code === status)?.[0] ??
    `status 0x${status.toString(16)}`;
