import type { TrunkSettings } from "./trunk_settings.ts";
import type { RetentionMs } from "./retention.ts";
import type { IceSettings } from "../../base/ice_servers.ts";

/** An address, or all addresses of a domain, that e-mail may leave from. */
export interface EmailSender {
  /** The account that may use it, with those below it; null: every account. */
  accountSid: string | null;
  /** In lower case: `name@domain`, or `@domain`. */
  sender: string;
}

/** A variable of the configuration as the operator may see it. */
export interface ShownVariable {
  name: string;
  /** Masked, where it is a secret. */
  value: string;
  /** Default; null where it follows from other settings. */
  fallback: string | null;
  help: string;
}

/** The part of the configuration that core uses. */
export interface Settings {
  /** Without a trailing slash. */
  baseUrl: string;
  sipDomain: string;
  /** Addresses at which phones register, one for each transport. */
  phoneAddresses: { transport: string; address: string }[];
  /** Names this instance in callbacks. */
  instanceId: string;
  /** Most attempts at a status callback. */
  webhookMaxAttempts: number;
  keptMs: RetentionMs;
  /** Retention of the SIP trace of a failed call, in ms; 0: no trace. */
  sipTraceMs: number;
  /** Validity of a signed URL of a recording, in ms. */
  recordingLinkMs: number;
  /** The running build, for Supervisor metrics. */
  revision: string;
  /** Requests of an account that this instance answers in a second, by their kind; 0: without a limit. */
  requestRates: { reads: number; writes: number; requests: number };
  /** The part of the requests that is logged, from 0 to 1. */
  loggedRequests: number;
  /** Characters that the password of a Client has at least. */
  clientPasswordMin: number;
  /** Senders of messages are limited to those that the account may use. */
  strictSmsFrom: boolean;
  /** Most age of the order to place a call, in ms. */
  dialMaxAgeMs: number;
  /** Numbers are validated by a call before they may be shown; null: where the root account has a Gateway. */
  strictCallerId: boolean | null;
  /** E-mail leaves only from addresses that the operator vouches for. */
  strictEmailFrom: boolean;
  /** Addresses and domains that accounts may send e-mail from. */
  emailSenders: EmailSender[];
  /** Short codes that every account may send from. */
  smsShortCodes: string[];
  /** Price of a message to a number outside of the service, in millionths. */
  smsRateMicros(number: string): number;
  /** The audio of recordings needs no credentials. */
  recordingsPublic: boolean;
  /** Audio is brought to object storage that everybody may read. */
  recordingsOpenInS3: boolean;
  /** Currency of all prices (ISO 4217); null where the operator names none. */
  currency: string | null;
  /** Price of a phone number a month, in millionths. */
  numberPriceMicros: number;
  /** Price of a minute of a transcribed recording, in millionths. */
  transcriptionPriceMicros: number;
  /** True when requests may go to private addresses, and WebSockets may be without TLS. */
  allowsPrivateUrls: boolean;
  /** Seconds of audio that the server of an audio stream may have waiting. */
  streamQueueS: number;
  /** After how long without a request a session at the console ends, in ms. */
  consoleIdleMs: number;
  /** True when calls and conferences may be listened to. */
  monitorsCalls: boolean;
  /** All of the configuration, for the root account alone. */
  configuration: ShownVariable[];
  trunks: TrunkSettings;
  ice: IceSettings;
}
