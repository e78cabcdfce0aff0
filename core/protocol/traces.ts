import { z } from "zod";
import { companion } from "./companion.ts";
import { legId } from "./script.ts";

/** Bounds of a trace. */
export const traceLimits = {
  messages: 64,
  /** Of the texts of all messages, in UTF-8. */
  bytes: 48 << 10,
  /** Bytes of one message, in UTF-8; longer ones are cut off. */
  messageBytes: 8 << 10,
  /** Of one request that carries a trace: JSON writes a control character as six. */
  bodyBytes: 512 << 10,
  answerMs: 2_000,
} as const;

const endpoint = z.object({ host: z.string(), port: z.number().int().min(0).max(65_535) });

/** A SIP message of a call, without secrets. */
export const tracedMessage = z.object({
  /** Time at which it was sent or came, in ms. */
  at: z.number().int(),
  direction: z.enum(["sent", "received"]),
  transport: z.enum(["WS", "WSS", "UDP", "TCP", "TLS"]),
  local: endpoint,
  remote: endpoint,
  text: z.string(),
});

/** The SIP messages of a call and of the calls that its Dial placed, in order of time. */
export const trace = z.object({
  messages: z.array(tracedMessage).max(traceLimits.messages),
  /** Number of older messages that were dropped at the bound. */
  dropped: z.number().int().nonnegative(),
});

/** The trace of a leg that ended without success; sent before the report of its end. */
export const traceReport = z.object({
  companion,
  leg: legId,
  accountSid: z.string(),
  trace,
});

export type TracedMessage = z.infer<typeof tracedMessage>;
export type Trace = z.infer<typeof trace>;
