import { type Config, origin } from "../configuration/config.ts";

/**
 * How requests to the service's own address are made: to the public one within the machine, since a
 * NAT need not bring back what a machine sends to its own public address.
 */
export const ownRequests = (
  { BASE_URL, PUBLIC_IP, PORT, SERVICE_URL }: Config,
): { ownOrigin: string; ownWithin?: string } => ({
  ownOrigin: BASE_URL,
  ...BASE_URL === origin(PUBLIC_IP, PORT) && { ownWithin: SERVICE_URL },
});
