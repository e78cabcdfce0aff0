import assert from "node:assert/strict";
import { emptyBatch } from "../../kv/batch.ts";
import { listStates, nameOf } from "../../kv/list_states.ts";

const list = nameOf({ account: 7n, prefix: "CA" });

/** A commit that writes a key of the list. */
function writing() {
  const batch = emptyBatch();
  batch.sets.push({ key: [7n, "CA", new Uint8Array(16)], value: null });
  return batch;
}

Deno.test("steady() reads again what somebody wrote to meanwhile, and then holds commits back", async () => {
  const states = listStates();
  const steps: string[] = [];
  let commit: Promise<void> | undefined;
  let reads = 0;
  /** Asks for a commit in the middle of each read. */
  const read = async () => {
    steps.push(`read ${++reads}`);
    await commit;
    commit = (async () => {
      await states.began(writing());
      steps.push("commit");
      states.ended();
    })();
    await new Promise((wake) => setTimeout(wake, 1));
    steps.push("found");
    return reads;
  };

  assert.equal(await states.steady(list, read), 3);
  await commit;
  const meanwhile = ["commit", "found"];
  assert.deepEqual(steps, [
    "read 1",
    ...meanwhile,
    "read 2",
    ...meanwhile,
    "read 3",
    "found",
    "commit",
  ]);
});

Deno.test("a commit waits for a read that holds it back, not for ever", async () => {
  const states = listStates();
  const hangs = Promise.withResolvers<string>();
  let reads = 0;
  const found = states.steady(list, async () => {
    if (++reads > 2) return await hangs.promise;
    await states.began(writing());
    states.ended();
    return "early";
  });
  while (reads < 3) await new Promise((wake) => setTimeout(wake, 1));

  await states.began(writing());
  assert.equal(states.of(list), null);
  states.ended();
  hangs.resolve("late");

  assert.equal(await found, "late");
});
