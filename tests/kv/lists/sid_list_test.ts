import assert from "node:assert/strict";
import { sidList } from "../../../kv/lists/sid_list.ts";
import { dice } from "../../support/service/store_lab.ts";

const sidOf = (n: number) => "CA" + n.toString(16).padStart(32, "0");
const newestFirst = (sids: Iterable<string>) => [...sids].sort().reverse();

Deno.test("a list of Sids has the appended and settled ones, newest first", () => {
  const roll = dice(3);
  for (let round = 0; round < 200; round++) {
    const list = sidList("CA");
    const known = new Set<string>();
    let next = 900;
    for (let pieces = roll(4); pieces > 0; pieces--) {
      const sids = Array.from({ length: roll(9) }, () => sidOf(next -= 1 + roll(9)));
      list.append(sids);
      sids.forEach((sid) => known.add(sid));
    }
    for (let time = 0; time < 3; time++) {
      const written = new Set(Array.from({ length: roll(12) }, () => sidOf(700 + roll(250))));
      const wanted = new Set([...written].filter(() => roll(2)).concat(sidOf(1)));
      list.settle(newestFirst(written), wanted);
      for (const sid of written) {
        if (wanted.has(sid)) known.add(sid);
        else known.delete(sid);
      }
    }
    const expected = newestFirst(known);
    assert.equal(list.length, expected.length);
    assert.deepEqual(list.slice(0, 1_000), expected);
    const [from, before] = [roll(30), roll(30)];
    assert.deepEqual(list.slice(from, before), expected.slice(from, before));
    const sid = sidOf(700 + roll(250));
    assert.equal(list.countTo(sid), expected.filter((one) => one >= sid).length);
  }
});
