import { z } from "zod";
import { host, type Variable } from "./variable.ts";

/** How peers reach this machine where it stands behind a NAT. */
export const reachVariables = {
  PUBLIC_IP: {
    schema: z.union([z.literal(""), host]),
    fallback: "",
    help:
      "Public IP address of this machine where it is not an address of the machine itself, as " +
      "behind the 1:1 NAT of a cloud; or a host name that has it. RTP_HOST, SIP_PUBLIC_HOST, " +
      "SIP_WS_URL, BASE_URL and the media of browsers' calls follow from it. Empty: none.",
  },
} satisfies Record<string, Variable>;
