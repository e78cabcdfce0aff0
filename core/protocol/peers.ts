import { z } from "zod";

/**
 * The part of the call-control protocol (`companion.ts`) that is about several companions of one installation: where
 * each answers, and where else the devices of a Client are.
 */

/** As SIP writes it: `sip:HOST:PORT;transport=ws`. */
const sipUri = z.string().min(1).max(255);

/** Where a companion can be reached, as its heartbeats tell it. */
export const companionAddresses = {
  /** Where its control answers; unless given, where the service expects one. */
  bridgeUrl: z.url().optional(),
  /** Where other companions place calls for Clients registered with it. */
  sipUri: sipUri.optional(),
};

/**
 * Every device that a Client has registered: at the companion that performs the script, and at
 * `peers`, which ring theirs and pass the call through. A call that a peer was given goes no further.
 */
export const clientTarget = z.object({
  kind: z.literal("client"),
  login: z.string().min(1),
  peers: z.array(z.object({ sipUri })).max(32).optional(),
});

/**
 * Another companion that has what a leg is to meet, as it was last heard of: another run of it has
 * nothing of that any more.
 */
export const remoteCompanion = z.object({ sipUri, runId: z.string().min(1) });

export type RemoteCompanion = z.infer<typeof remoteCompanion>;

/**
 * A leg of another companion, in whose place the new leg talks to whom that one talks to (RFC 3891);
 * 481 when it talks to nobody any more.
 */
export const legTarget = z.object({
  kind: z.literal("leg"),
  leg: z.string().min(1),
  accountSid: z.string(),
  peer: z.object({ sipUri }),
});

export type LegTarget = z.infer<typeof legTarget>;
export type ClientTarget = z.infer<typeof clientTarget>;
export type Peer = NonNullable<ClientTarget["peers"]>[number];
