import assert from "node:assert/strict";
import { consistentRead } from "../../../kv/lists/consistent_read.ts";
import type { KeyValueStore } from "../../../kv/store/key_value_store.ts";

/** A store that has so many entries, of which one is new at each of the first `changes` readings. */
function changing(size: number, changes: number) {
  let readings = 0;
  async function* list() {
    const change = Math.min(++readings, changes);
    for (let at = 0; at < size; at++) {
      yield { key: [at], value: null, versionstamp: at === 0 ? String(change) : "0" };
    }
  }
  return { kv: { list } as unknown as KeyValueStore, readings: () => readings };
}

const readAll = async (kv: KeyValueStore) => (await Array.fromAsync(kv.list({ prefix: [] })))[0];

for (
  const [size, changes, wanted] of [
    [10, 1, 2],
    [10, 4, 5],
    [10, 100, 8],
    [4_000, 100, 5],
    [10_000, 1, 2],
    [10_000, 100, 2],
    [10_001, 1, 1],
    [30_000, 1, 1],
  ] as const
) {
  Deno.test(`atOneMoment() reads ${size} entries ${wanted} times when ${changes} readings find them new`, async () => {
    const { kv, readings } = changing(size, changes);
    const first = await consistentRead(kv, readAll);
    assert.equal(readings(), wanted);
    assert.equal(first?.versionstamp, String(Math.min(wanted, changes)));
  });
}
