import assert from "node:assert/strict";
import { table } from "../../../core/admin/table.ts";

Deno.test("a table aligns texts to the left and numbers to the right", () => {
  const rows = [{ kind: "dialCall", due: 3 }, { kind: "sendEmail", due: 120 }];
  assert.equal(table(rows), "KIND       DUE\ndialCall     3\nsendEmail  120");
});

Deno.test("a table shows absent values as - and no control character", () => {
  const rows = [{ login: "alice", device: "phone\x1b[2J\u202e" }, { login: "bob", device: null }];
  assert.equal(table(rows), "LOGIN  DEVICE\nalice  phone?[2J?\nbob    -");
});
