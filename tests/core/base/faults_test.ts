import assert from "node:assert/strict";
import { faults } from "../../../core/base/faults.ts";

const folder = new URL("../../../core/base/faults/", import.meta.url);

Deno.test("every fault of every table has a name and a code of its own", async () => {
  let listed = 0;
  for await (const { name } of Deno.readDir(folder)) {
    const tables: Record<string, object> = await import(new URL(name, folder).href);
    for (const table of Object.values(tables)) listed += Object.keys(table).length;
  }

  const codes = Object.values(faults).map(({ code }) => code);
  assert.equal(codes.length, listed);
  assert.equal(new Set<number>(codes).size, listed);
});
