import assert from "node:assert/strict";
import { migrationLines } from "../../../../core/machine/start/migration_lines.ts";

Deno.test("migrationLines() prints each resource, a line every 2 s, and the end", () => {
  const said: string[] = [];
  let now = 0;
  const { progress, over } = migrationLines((line) => said.push(line), () => now);

  over("Migrated the store");
  progress({ task: "layout", resource: "calls", done: 100 });
  now = 1_000;
  progress({ task: "layout", resource: "calls", done: 200 });
  now = 2_500;
  progress({ task: "layout", resource: "calls", done: 300 });
  progress({ task: "layout", resource: "clients", done: 301 });
  over("Migrated the store");
  now = 9_000;
  progress({ task: "index calls direction", resource: "calls", done: 7 });
  over("Built the indexes of the store");
  over("Built the indexes of the store");

  assert.deepEqual(said, [
    "Migrating the store: calls, 100 records so far",
    "Migrating the store: calls, 300 records so far",
    "Migrating the store: clients, 301 records so far",
    "Migrated the store in 2.5 s",
    "Building an index: calls, 7 records so far",
    "Built the indexes of the store in 0.0 s",
  ]);
});
