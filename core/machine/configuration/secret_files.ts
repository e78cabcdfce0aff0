import { ConfigError, variables } from "./config.ts";
import type { Variable } from "./variable.ts";

/** Read by Deno itself: the token of KV_URL. */
export const kvTokenVariable = "DENO_KV_ACCESS_TOKEN";

/** The variables that hold a secret; each may name a file by NAME_FILE in its place. */
export const secretNames: readonly string[] = [
  ...Object.entries<Variable>(variables).filter(([, { secret }]) => secret).map(([name]) => name),
  kvTokenVariable,
];

/**
 * An environment in which each secret that is given by a file (`SECRET_KEY_FILE=/run/secrets/key`)
 * stands under its own name (`SECRET_KEY`), without white space at its end. Throws a ConfigError that
 * names each file that is missing, empty or unreadable, and each secret that is given twice.
 */
export function withSecretFiles(
  environment: Readonly<Record<string, string>>,
  read: (path: string) => string = Deno.readTextFileSync,
): Record<string, string> {
  const resolved = { ...environment };
  const problems: string[] = [];
  for (const name of secretNames) {
    const path = environment[`${name}_FILE`];
    delete resolved[`${name}_FILE`];
    if (!path) continue;
    if (environment[name]) problems.push(`${name} and ${name}_FILE are both set: unset one`);
    else {
      const { secret, problem } = secretIn(path, read);
      if (problem === undefined) resolved[name] = secret;
      else problems.push(`${name}_FILE ${problem}`);
    }
  }
  if (problems.length > 0) {
    throw new ConfigError(`Cannot use the configuration: ${problems.join("; ")}`);
  }
  return resolved;
}

function secretIn(path: string, read: (path: string) => string) {
  try {
    const secret = read(path).trimEnd();
    return secret === ""
      ? { secret, problem: `names an empty file (${path})` }
      : { secret, problem: undefined };
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound
      ? "does not exist"
      : `cannot be read: ${error instanceof Error ? error.message : error}`;
    return { secret: "", problem: `names a file that ${reason} (${path})` };
  }
}
