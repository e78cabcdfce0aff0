import type { NumberEvent, NumberOffer, NumberSearch } from "../values/offer.ts";
import type { Change } from "../store.ts";
import type { Email } from "../resources/emails.ts";
import type { Message } from "../resources/messages.ts";

/** Provider of phone numbers. */
export interface NumberProvider {
  /** The ISO 3166-1 codes of the countries that it has numbers of. */
  countries(): Promise<string[]>;
  /** Offers in order of number. An account may hold one already, and one may not fit wholly. */
  search(wanted: NumberSearch): AsyncIterable<NumberOffer>;
  /** The offer of one number in E.164 form; null when it may not be had. */
  offer(phoneNumber: string): Promise<NumberOffer | null>;
  /** Reports an event of a number, perhaps more than once. Throws when the report failed. */
  notify(event: NumberEvent): Promise<void>;
}

/** One way by which messages leave the service. */
export interface MessageRoute {
  /** True when the route leads to the message's recipient. */
  reaches(message: Message): Promise<boolean>;
  /** True when it may have handed the message over before: no other route may then. */
  holds?(message: Message): boolean;
  /**
   * Hands the message over; its Sid is the same on every attempt. Returns the further records and
   * jobs of its delivery, which are committed with it. Throws when it was not taken. A Fault: no
   * other attempt can change that. `Undelivered`: surely nothing was handed over. `MaybeDelivered`: its
   * server may have it. Any other error: unclear.
   */
  send(message: Message, signal: AbortSignal): Promise<Delivery | void>;
}

/** The records and jobs that the delivery of a message causes. */
export interface Delivery extends Pick<Change<Message>, "also" | "jobs"> {
  /** Id of the message at the carrier, where a receipt will report its delivery. */
  carrierId?: string;
  /** The recipient has it. */
  isDelivered?: true;
}

export interface Mailer {
  /**
   * Hands an e-mail over; its Sid is the same on every attempt. Returns the addresses that were
   * refused while others were taken; throws `emailRefused` when all were refused permanently.
   */
  send(email: Email, signal: AbortSignal): Promise<string[]>;
}

/** Bytes from `start` to before `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Large binary objects, each named by a Sid of an account. */
export interface Blobs {
  /**
   * Writes at an offset, over what was there; what was never written reads as zeros. At 0 it makes
   * the object, elsewhere it throws a Fault `notFound` when there is none.
   */
  write(
    accountSid: string,
    sid: string,
    at: number,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<void>;
  /** In bytes; null when there is none. */
  size(accountSid: string, sid: string): Promise<number | null>;
  /** Null when there is none. The caller reads the content to its end, or cancels it. */
  get(
    accountSid: string,
    sid: string,
    range?: ByteRange,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | null>;
  /** Nothing when there is none. */
  remove(accountSid: string, sid: string): Promise<void>;
  /** Moves a complete file to its permanent place; may be repeated. Throws when that fails. */
  settle(accountSid: string, sid: string, signal: AbortSignal): Promise<void>;
  /** URL at which the bytes can be read for a short time, by GET or HEAD; null: only here. */
  link(accountSid: string, sid: string, method: "GET" | "HEAD"): Promise<string | null>;
}

export interface LocationSource {
  /** Answer of the source about a subscriber's number. Throws without an answer. */
  lookUp(msisdn: string, signal: AbortSignal): Promise<string>;
}

export interface Transcriber {
  /**
   * The words in a WAV file, which is opened when it is its turn, within `mostMs` from then; in
   * any language where none is given. A long one (`isLong`) does not delay others. Throws a Fault when
   * no other attempt can bring them, and any other error when one may.
   */
  transcribe(
    audio: {
      open(): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
      mostMs: number;
      isLong: boolean;
      language?: string;
    },
    signal: AbortSignal,
  ): Promise<string>;
}
