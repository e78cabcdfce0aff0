import { type Config, readConfig } from "./config.ts";
import { kvTokenVariable, withSecretFiles } from "./secret_files.ts";

/** The configuration of a command that opens the store itself, by the environment of the service. */
export function commandConfig(): Config {
  const given = withSecretFiles(Deno.env.toObject());
  const token = given[kvTokenVariable];
  if (token) Deno.env.set(kvTokenVariable, token); // Deno itself reads it, when a store is opened.
  return readConfig((name) => given[name]);
}
