import examples from "./examples.json" with { type: "json" };

/**
 * The example of a schema, by its name: responses as the golden files of the tests have them, and
 * the request bodies that made those. `deno task golden` writes them.
 */
export const exampleOf = (name: string | undefined): unknown =>
  name === undefined ? undefined : (examples as Record<string, unknown>)[name];
