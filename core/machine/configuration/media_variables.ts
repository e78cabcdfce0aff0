import { z } from "zod";
import { onNetwork } from "./machine_addresses.ts";
import { host, portOrOff, same, type Variable } from "./variable.ts";

/** A range of ports like "20000-20999", both included; "0" leaves the choice to the system. */
export function portRange(text: string): { first: number; last: number } {
  const [first = NaN, last = first] = text.split("-").map(Number);
  return { first, last };
}

function isPortRange(text: string): boolean {
  const { first, last } = portRange(text);
  return text === "0" || /^\d+-\d+$/.test(text) && first >= 1_024 && last <= 65_535 &&
      last - first % 2 > first;
}

/** Variables of plain RTP and of the media of browsers. */
export const mediaVariables = {
  RTP_HOST: {
    group: "media",
    schema: host,
    fallback: ({ PUBLIC_IP, SIP_HOST }, machine) =>
      String(PUBLIC_IP || onNetwork(SIP_HOST, machine)),
    help:
      "IP address, or a name that has it, where phones and trunks send plain RTP, as seen from " +
      "outside. Default: PUBLIC_IP, else SIP_HOST, or this machine's address where that is every " +
      "address.",
  },
  RTP_PORTS: {
    group: "media",
    schema: z.string().refine(isPortRange, "must be a range of ports like 20000-20999, or 0"),
    fallback: "20000-20999",
    help: "UDP ports of plain RTP, two for each leg of a trunk. 0: any that is free.",
  },
  RTP_FFI: {
    group: "media",
    schema: z.enum(["auto", "true", "false"], "must be auto, true or false"),
    fallback: "auto",
    help:
      "Whether the companion may call the C library for UDP, which takes a third of the CPU time of " +
      "audio away. Code in a companion that may has all rights of its Unix user. auto: where `deno " +
      "task sip` starts it without the service, and SECRET_KEY and the secret_key of DATA_DIR are " +
      "not to be had there. true: always. false: never.",
  },
  RTP_TIMEOUT_S: {
    group: "media",
    schema: z.coerce.number("must be a number of seconds").int().min(0).max(86_400)
      .refine((s) => s === 0 || s >= 30, "must be 0, or 30 to 86400"),
    fallback: "3600",
    help:
      "Seconds after which a call ends whose phone or trunk answers by SIP but sends neither RTP " +
      "nor RTCP, as a muted phone may. A call on hold does not count. A phone that answers no SIP " +
      "either loses its call after about a minute. 0: such a call never ends for its silence.",
  },
  MEDIA_RELAY: {
    group: "media",
    schema: z.enum(["auto", "always", "never"]),
    fallback: "auto",
    help:
      "Whether audio between two phones that are no browsers goes through the companion. auto: " +
      "where one of them is behind a NAT (its SDP or Contact has another address than it signals " +
      "from) or signals by TLS; always; never: they send to each other, whatever their addresses.",
  },
  MEDIA_PORT: {
    group: "media",
    schema: portOrOff,
    fallback: "0",
    help: "One UDP port, at SIP_HOST, for the media of all browsers' calls; each companion on a " +
      "machine has its own. 0: each call has a port of its own, whichever is free.",
  },
  STREAM_QUEUE_S: {
    group: "media",
    sets: { streamQueueS: same },
    schema: z.coerce.number("must be a number of seconds").int().min(1).max(600),
    fallback: "120",
    help:
      "Seconds of audio that the server of an audio stream may send ahead of what is heard, 8 kB " +
      "of memory each; more is refused with a Notification.",
  },
} satisfies Record<string, Variable>;
