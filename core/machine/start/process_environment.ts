import { variables } from "../configuration/config.ts";
import { kvTokenVariable } from "../configuration/secret_files.ts";
import type { ProcessName, Variable } from "../configuration/variable.ts";

/**
 * The environment that the supervisor starts a process with, made of its own: without the secrets
 * that the process does not need.
 *
 * Certificate authorities of NODE_EXTRA_CA_CERTS are given as DENO_CERT. Both kinds of requests, those
 * of `fetch` and those of `node:https`, know that one; the other takes `node:https` a permission
 * (`sys`) that the process does not have.
 */
export function environmentOf(
  name: ProcessName,
  own: Record<string, string>,
): Record<string, string> {
  const given = { ...own };
  for (const [variable, { secret }] of Object.entries<Variable>(variables)) {
    if (secret !== undefined && !secret.includes(name)) delete given[variable];
  }
  if (name !== "service") delete given[kvTokenVariable];
  const { NODE_EXTRA_CA_CERTS, OTEL_SERVICE_NAME = "switchboard", ...rest } = given;
  return {
    ...NODE_EXTRA_CA_CERTS && { DENO_CERT: NODE_EXTRA_CA_CERTS },
    // Read by Deno, which exports traces where OTEL_DENO is true.
    ...given.OTEL_DENO && { OTEL_SERVICE_NAME: `${OTEL_SERVICE_NAME}-${shortName(name)}` },
    ...rest,
  };
}

const shortName = (name: ProcessName): string => name.replace(" process", "");
