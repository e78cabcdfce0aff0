import { type Config, origin } from "../configuration/config.ts";

/**
 * Addresses of requests to the service itself. Those to the public one stay within the machine, since a
 * NAT need not return what a machine sends to its own public address (hairpinning, RFC 4787 §6). A
 * BASE_URL at another host may be a proxy with other applications, so requests to it leave the machine.
 */
export const ownRequests = (
  { BASE_URL, PUBLIC_IP, PORT, SERVICE_URL }: Config,
): { ownOrigin: string; ownWithin?: string } => ({
  ownOrigin: BASE_URL,
  ...BASE_URL === origin(PUBLIC_IP, PORT) && { ownWithin: SERVICE_URL },
});
