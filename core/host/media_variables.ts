import { z } from "zod";
import { address, host, port, portOrOff, type Variable } from "./variable.ts";

const server = z.object({ host, port });

const partsOf = (entry: string) => /^(?<host>.+):(?<port>\d+)$/.exec(entry)?.groups;

const entriesOf = (text: string) => text === "" ? [] : text.split(",");

/** The entries of RTPENGINE, each host:port or [IPv6]:port. */
export const rtpengines = (text: string): z.output<typeof server>[] =>
  entriesOf(text).map((entry) => server.parse(partsOf(entry)));

const isServers = (text: string): boolean =>
  entriesOf(text).every((entry) => server.safeParse(partsOf(entry)).success);

/** The variables about who does ICE, DTLS and SRTP, and where. */
export const mediaVariables = {
  MEDIA_PORT: {
    schema: portOrOff,
    fallback: "0",
    help: "One UDP port, at SIP_HOST, for the media of all browsers' calls; each companion on a " +
      "machine has its own. Unused with RTPENGINE. 0: each call has a port of its own, whichever is free.",
  },
  RTPENGINE: {
    schema: z.string().refine(isServers, "must be host:port, several separated by commas"),
    fallback: "",
    help:
      "Where rtpengines take orders (their listen-ng), as host:port separated by commas: they " +
      "do ICE, DTLS and SRTP of browsers' calls, in turn. Empty: the companion does.",
  },
  RTPENGINE_RTP_HOST: {
    schema: address,
    fallback: ({ SIP_HOST, RTP_HOST }) =>
      String(["0.0.0.0", "::"].includes(String(SIP_HOST)) ? RTP_HOST : SIP_HOST),
    help: "IP address of this machine where those send audio, unencrypted: on the loopback or a " +
      "network of their own. Default: SIP_HOST, or RTP_HOST where that is every address.",
  },
} satisfies Record<string, Variable>;
