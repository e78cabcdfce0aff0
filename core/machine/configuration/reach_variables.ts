import { z } from "zod";
import type { IceSettings } from "../../base/ice_servers.ts";
import { host, secret, type Variable } from "./variable.ts";

/** A host, and its port and transport where they are not the usual ones (RFC 7064, RFC 7065). */
const iceUrl = /^(stuns?:HOST|turns?:HOST(\?transport=(udp|tcp))?)$/.source
  .replaceAll("HOST", String.raw`([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?`);

const areIceServers = (text: string): boolean =>
  text === "" || text.split(",").every((url) => new RegExp(iceUrl).test(url));

/** Addresses at which peers reach this machine behind a NAT. */
export const reachVariables = {
  PUBLIC_IP: {
    group: "network",
    schema: z.union([z.literal(""), host]),
    fallback: "",
    help:
      "Public IP address of this machine where it is not an address of the machine itself, as " +
      "behind the 1:1 NAT of a cloud; or a host name that has it. RTP_HOST, SIP_PUBLIC_HOST, " +
      "SIP_WS_URL, BASE_URL and the media of browsers' calls follow from it. Empty: none.",
  },
  ICE_SERVERS: {
    group: "media",
    schema: z.string().refine(areIceServers, "must be STUN and TURN URLs separated by commas"),
    fallback: "",
    help: "STUN and TURN servers for browsers, separated by commas, as in " +
      "stun:turn.example.com,turn:turn.example.com:3478?transport=tcp: /softphone gets them when its " +
      "Client has logged in, pages of your own by POST Tokens. Empty: none.",
  },
  TURN_SECRET: {
    group: "media",
    schema: secret,
    fallback: "",
    help:
      "Secret shared with the TURN servers of ICE_SERVERS (static-auth-secret of coturn, with " +
      "use-auth-secret), from which time-limited credentials are made.",
    secret: ["service", "companion"],
  },
} satisfies Record<string, Variable>;

/** The servers of a configuration. */
export const iceSettings = (
  { ICE_SERVERS = "", TURN_SECRET = "" }: { ICE_SERVERS?: unknown; TURN_SECRET?: unknown },
): IceSettings => ({
  urls: String(ICE_SERVERS).split(",").filter(Boolean),
  turnSecret: String(TURN_SECRET),
});
