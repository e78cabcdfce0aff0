import { examplePassword } from "./example_password.ts";
import examples from "./examples.json" with { type: "json" };

/** Gives the example of a schema, by its name. */
export type Examples = (name: string | undefined) => unknown;

/**
 * The examples: responses as the golden files of the tests have them, and the request bodies that
 * made those. `deno task golden` writes them. The Client that is created has a password that the
 * operator allows.
 */
export function examplesUnder(
  { clientPasswordMin }: { clientPasswordMin: number },
): Examples {
  const Password = examplePassword(clientPasswordMin);
  const all: Record<string, unknown> = {
    ...examples,
    ClientCreate: { ...examples.ClientCreate, Password },
  };
  return (name) => name === undefined ? undefined : all[name];
}
