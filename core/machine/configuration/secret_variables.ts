import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { secret, type Variable } from "./variable.ts";

/** The variables of the root account, and of the secrets of the service and its companions. */
export const secretVariables = {
  ADMIN_EMAIL: {
    group: "service",
    schema: z.email("must be an e-mail address"),
    fallback: "admin@localhost.localdomain",
    help: "E-mail address of the root account, on the first start.",
  },
  ADMIN_PASSWORD: {
    group: "service",
    schema: z.string().max(limits.passwordLength),
    fallback: "",
    help: "Password that the AuthToken of the root account is derived from, on the first start. " +
      "Requests use the AuthToken. Empty: generated.",
    secret: ["service"],
  },
  ADMIN_AUTH_TOKEN: {
    group: "service",
    schema: z.string().regex(/^([0-9a-f]{32})?$/, "must be 32 hexadecimal digits, in lower case"),
    fallback: "",
    help: "AuthToken of the root account, on the first start. Empty: derived from ADMIN_PASSWORD.",
    secret: ["service"],
  },
  SECRET_KEY: {
    group: "secrets",
    schema: secret,
    fallback: "",
    help: "Key that seals secrets at rest; instances that share a store share it. " +
      "Empty: generated into DATA_DIR/secret_key.",
    secret: ["service"],
  },
  SECRET_KEY_OTHER: {
    group: "secrets",
    schema: secret,
    fallback: "",
    help:
      "A second key that opens what is sealed, while SECRET_KEY changes: the one before, or the " +
      "next one. At the start the service seals with SECRET_KEY what the other one has sealed.",
    secret: ["service"],
  },
  BRIDGE_SECRET: {
    group: "secrets",
    schema: secret,
    fallback: "",
    help:
      "Signs what service and companion tell each other, and seals passwords in it. Empty: DATA_DIR/bridge_secret.",
    secret: ["service", "companion"],
  },
  BRIDGE_SECRET_OTHER: {
    group: "secrets",
    schema: secret,
    fallback: "",
    help:
      "A second secret that service and companions accept from each other while BRIDGE_SECRET " +
      "changes: the one before, or the next one.",
    secret: ["service", "companion"],
  },
} satisfies Record<string, Variable>;
