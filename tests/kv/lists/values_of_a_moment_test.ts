import assert from "node:assert/strict";
import type { Condition } from "../../../core/base/filters.ts";
import { storeFile, storeLab } from "../../support/service/store_lab.ts";

const likeTo: Condition = { field: "to", op: "matches", value: "+4*" };

Deno.test("a total by a pattern is of one moment, while each call made has a value that none had", async () => {
  await using file = await storeFile();
  using lab = await storeLab(file.location);
  const { calls } = lab.store.records;
  const [size, values] = [3_000, 300];
  let made = 0;
  const next = (to: string) => {
    lab.clock.now += 1_000;
    return lab.call({ to });
  };
  const all = Array.from({ length: size }, () => next(`+4${90_000 + made++ % values}`));
  await Promise.all(all.map((record) => calls.insert({ record })));
  let isOver = false;
  const writing = async () => {
    while (!isOver) {
      await calls.insert({ record: next(`+4${90_000 + size - made++}`) });
      await calls.remove(lab.accountSid, all.pop()!.sid);
    }
  };
  const written = writing();
  const totals = new Set<number>();
  for (let page = 0; page < 5; page++) {
    const query = { where: [likeTo], skip: 0, limit: 0 };
    totals.add((await calls.list(lab.accountSid, query)).total);
  }
  isOver = true;
  await written;

  assert.ok([...totals].every((total) => total === size || total === size + 1), [...totals].join());
});
