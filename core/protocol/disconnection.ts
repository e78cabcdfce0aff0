import { z } from "zod";

/**
 * The part of the call-control protocol (`companion.ts`) about which side ended a leg, and by what. A
 * companion of an older program does not report it.
 *
 * The companion reports it. SIP traces exist of failed calls alone. The order in which both legs end
 * shows nothing of a leg without another, and a time limit looks like a hang-up. An order to hang up may
 * name its cause, which the companion gives back, so no record has to be written for it. Records show it
 * in `Calls/{Sid}/Progress`: the representation of a Call is a contract. A cause that the service does
 * not know counts as not reported.
 */

/** Act of a leg's peer: BYE, CANCEL, or a final response that refuses its INVITE. */
const remoteCauses = ["bye", "cancel", "refused"] as const;

/** Causes that a hang-up or reject step may name. */
const orderedCauses = [
  /** A request to the interface, or the console. */
  "request",
  /** The TimeLimit of the call, or of its Dial. */
  "time-limit",
  /** A limit of its account refused it, or the money of the day does not pay its next minute. */
  "limit",
  /** The conference for which the leg was called ended before the leg was answered. */
  "conference-end",
  /** The markup came to its end: its last verb was performed, and none of them hangs up. */
  "end-of-markup",
  /** The markup, its URL or its flow could not be used. */
  "document-failed",
  /** The last step was performed, without markup. */
  "script-end",
  /** The callee cannot be reached: not registered, no trunk, no route. */
  "unreachable",
  /** Its account, caller ID or destination is not allowed. */
  "not-allowed",
] as const;

const serviceCauses = [
  ...orderedCauses,
  /** A Hangup or Reject in the markup, or in a flow. */
  "hangup",
  /** The leg that it was connected to, or that dialled it, ended or went on without it. */
  "other-leg",
  /** A party pressed the star key, where its Dial has hangupOnStar. */
  "star",
  /** Another leg of the same Dial was quicker. */
  "answered-elsewhere",
  /** Its screening did not let it through. */
  "screened",
  /** A transfer went on without it. */
  "transfer",
  /** The callee did not answer in time; of a caller, the Expires of its INVITE passed (RFC 3261 §13.3.1). */
  "timeout",
  /** No refresh came in the session interval (RFC 4028 §10). */
  "session-timer",
  /** The ACK of a 2xx, or the PRACK of a reliable response, did not come. */
  "no-ack",
  /** The peer cannot be reached any more: its connection is lost, or it denies the dialog. */
  "connection-lost",
  /** No audio comes any more, or the media worker died. */
  "media-lost",
  /** The two do not agree on media. */
  "no-codec",
  /** No companion took it: none runs, or none could be reached in time. */
  "not-placed",
  /** The service sent no script. */
  "no-script",
  /** The companion stopped. */
  "shutdown",
  /** The service heard from the companion no more. */
  "companion-lost",
  /** A resource of the companion's machine is exhausted: RTP ports, descriptors or sockets. */
  "exhausted",
  /** A failure of the companion; its log says more. */
  "error",
] as const;

export const hangupCause = z.enum(orderedCauses);

export const disconnection = z.object({
  /** `remote`: the peer of the leg. */
  by: z.enum(["remote", "service"]),
  cause: z.enum([...remoteCauses, ...serviceCauses]),
  /** The value of the peer's Reason header (RFC 3326), or what was wrong, in words. */
  text: z.string().max(200).optional(),
});

export type Disconnection = z.infer<typeof disconnection>;
export type RemoteCause = (typeof remoteCauses)[number];
export type ServiceCause = (typeof serviceCauses)[number];
