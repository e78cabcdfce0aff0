import assert from "node:assert/strict";
import { dice, storeLab } from "../../support/service/store_lab.ts";

/** Counts list requests to the store. */
function countedLists(): { count: number } & Disposable {
  const { prototype } = Deno.Kv;
  const { list } = prototype;
  const counted = { count: 0, [Symbol.dispose]: () => void (prototype.list = list) };
  prototype.list = function (...args) {
    counted.count++;
    return list.apply(this, args as never) as never;
  };
  return counted;
}

Deno.test("pages of a growing list are exact, and found without listing it", async () => {
  using lab = await storeLab();
  const { calls } = lab.store.records;
  const roll = dice(8);
  const model: ReturnType<typeof lab.call>[] = [];
  const create = async () => {
    lab.clock.now += roll(40_000);
    const record = lab.call({ startTime: lab.clock.now, duration: 0 });
    model.unshift(record);
    await calls.insert({ record });
  };
  const ask = async (skip: number, limit: number) => {
    const slice = await calls.list(lab.accountSid, { where: [], skip, limit });
    assert.deepEqual(slice, { items: model.slice(skip, skip + limit), total: model.length });
  };
  for (let n = 0; n < 300; n++) await create();
  for (let round = 0; round < 3; round++) {
    for (let skip = 0; skip < 300; skip += 20) await ask(skip, 21);
  }

  {
    using lists = countedLists();
    for (let n = 0; n < 10; n++) {
      await create();
      lists.count = 0;
      for (let skip = 0; skip < 280; skip += 20) await ask(skip, 21);
      assert.equal(lists.count, 0);
    }
  }

  for (let n = 0; n < 100; n++) {
    const at = roll(model.length);
    const { sid } = model[at]!;
    const kind = roll(3);
    if (kind === 0) await create();
    else if (kind === 1) {
      const move = (record: (typeof model)[0]) => ({ record: { ...record, duration: n } });
      model[at] = await calls.update(lab.accountSid, sid, move);
    } else {
      model.splice(at, 1);
      await calls.remove(lab.accountSid, sid);
    }
    for (let asked = 0; asked < 3; asked++) await ask(20 * roll(16), 21);
  }
});
