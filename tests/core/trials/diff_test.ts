import assert from "node:assert/strict";
import { flowDiff } from "../../../core/trials/flow_diff.ts";
import type { Flow } from "../../../core/model/flows/steps.ts";

const flow = (more: object, steps: object): Flow => ({ start: "a", steps, ...more }) as Flow;

Deno.test("flowDiff() names added, removed and changed steps, and each value that differs", () => {
  const before = flow({ variables: { n: "1" } }, {
    a: { type: "gather", branches: [{ digits: "1", next: "b" }, { digits: "2", next: "c" }] },
    b: { type: "say", text: "one" },
    c: { type: "hangup" },
  });
  const after = flow({ variables: { n: "2" }, positions: { a: { x: 1, y: 1 } } }, {
    a: { type: "gather", branches: [{ digits: "1", next: "d" }] },
    b: { type: "say", text: "one" },
    d: { type: "say", text: "new" },
  });

  assert.deepEqual(flowDiff(before, after), [
    { step: null, kind: "changed", fields: [{ path: "variables.n", before: "1", after: "2" }] },
    {
      step: "a",
      kind: "changed",
      fields: [
        { path: "branches.0.next", before: "b", after: "d" },
        { path: "branches.1.digits", before: "2", after: null },
        { path: "branches.1.next", before: "c", after: null },
      ],
    },
    { step: "c", kind: "removed", fields: [{ path: "type", before: "hangup", after: null }] },
    {
      step: "d",
      kind: "added",
      fields: [
        { path: "type", before: null, after: "say" },
        { path: "text", before: null, after: "new" },
      ],
    },
  ]);
});

Deno.test("flowDiff() finds nothing where only positions differ", () => {
  const steps = { a: { type: "hangup" } };
  assert.deepEqual(
    flowDiff(flow({}, steps), flow({ positions: { a: { x: 9, y: 9 } } }, steps)),
    [],
  );
});
