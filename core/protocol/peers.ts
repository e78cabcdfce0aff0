import { z } from "zod";

/**
 * The part of the call-control protocol (`companion.ts`) about several companions of one installation:
 * their addresses, and the companions at which a Client has devices.
 */

/** As SIP writes it: `sip:HOST:PORT;transport=ws`. */
const sipUri = z.string().min(1).max(255);

/** The addresses of a companion, from its heartbeats. */
export const companionAddresses = {
  /** URL of its control; without it, the one that the service expects. */
  bridgeUrl: z.url().optional(),
  /** SIP URI at which other companions place calls for Clients registered with it. */
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
 * Another companion that has the conference or leg to connect to, by its last heartbeat. A later run of
 * that companion has none of its calls.
 */
export const remoteCompanion = z.object({ sipUri, runId: z.string().min(1) });

export type RemoteCompanion = z.infer<typeof remoteCompanion>;

/**
 * A leg of another companion that the new leg replaces in its conversation (RFC 3891). 481 when
 * that leg is not connected any more.
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
