import { type Config, readConfig } from "./config.ts";
import type { MachineAddresses } from "./machine_addresses.ts";
import { kvTokenVariable, withSecretFiles } from "./secret_files.ts";

/**
 * The configuration of a command, by the environment of the service; addresses that follow from those
 * of the machine need these.
 */
export function commandConfig(machine?: MachineAddresses): Config {
  const given = withSecretFiles(Deno.env.toObject());
  const token = given[kvTokenVariable];
  if (token) Deno.env.set(kvTokenVariable, token); // Deno itself reads it, when a store is opened.
  return readConfig((name) => given[name], machine);
}
