import assert from "node:assert/strict";
import { keyInput } from "../../../core/protocol/gather.ts";

const all = "0123456789*#";
const cases: Record<
  string,
  { start?: string; finish?: string; most?: number; keys: string; typed: string; took: string }
> = {
  "up to the finish key, which is no part of it": { keys: "12#", typed: "12", took: "mmd" },
  "any key of a set as the finish key": { finish: "*#", keys: "4*", typed: "4", took: "md" },
  "the finish key as one of its digits where there is none": {
    finish: "",
    keys: "1#*",
    typed: "1#*",
    took: "mmm",
  },
  "as many as are wanted": { most: 3, keys: "123", typed: "123", took: "mmd" },
  "one": { most: 1, keys: "#", finish: "", typed: "#", took: "d" },
  "nothing when the finish key comes first": { keys: "#", typed: "", took: "d" },
  "only some keys as the first, and any after": {
    start: "12",
    keys: "09#1095",
    typed: "1095",
    took: "iiimmmm",
  },
  "no finish key as the first where it may not be": {
    start: "1",
    keys: "#1#",
    typed: "1",
    took: "imd",
  },
  "the letters of a keypad": {
    start: "ABCD",
    finish: "D",
    keys: "ABCD",
    typed: "ABC",
    took: "mmmd",
  },
};

for (
  const [what, { start = all, finish = "#", most = 1_000, keys, ...wanted }] of Object.entries(
    cases,
  )
) {
  Deno.test(`keyInput() takes ${what}`, () => {
    const input = keyInput({ start, finish, most });
    const took = [...keys].map((key) => input.take(key)[0]).join("");
    assert.deepEqual({ typed: input.typed, took }, wanted);
  });
}
