import assert from "node:assert/strict";
import { emptyBatch } from "../../../kv/store/batch.ts";
import { listStates, nameOf } from "../../../kv/cache/list_states.ts";
import { eventually } from "../../support/process/eventually.ts";

const list = nameOf({ account: 7n, prefix: "CA" });

/** A commit that writes a key of the list, or of another account's. */
function writing(account = 7n) {
  const batch = emptyBatch();
  batch.sets.push({ key: [account, "CA", new Uint8Array(16)], value: null });
  return batch;
}

Deno.test("consistentRead() repeats a read that a commit changed, then delays commits", async () => {
  const states = listStates();
  const steps: string[] = [];
  let commit: Promise<void> | undefined;
  let reads = 0;
  /** Requests a commit in the middle of each read. */
  const read = async () => {
    steps.push(`read ${++reads}`);
    await commit;
    commit = (async () => {
      await states.began(writing());
      steps.push("commit");
      states.ended();
    })();
    await new Promise((turn) => setTimeout(turn));
    steps.push("found");
    return reads;
  };

  assert.equal(await states.consistentRead(list, read), 3);
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

/** A read that holds commits back and never ends by itself. */
async function holding(states: ReturnType<typeof listStates>) {
  const hangs = Promise.withResolvers<string>();
  let reads = 0;
  const found = states.consistentRead(list, async () => {
    if (++reads > 2) return await hangs.promise;
    await states.began(writing());
    states.ended();
    return "early";
  });
  await eventually("it reads a third time", () => reads >= 3);
  return { found, end: () => hangs.resolve("late") };
}

Deno.test("a commit waits for a read that holds it back, not for ever", async () => {
  const states = listStates();
  const { found, end } = await holding(states);

  await states.began(writing());
  assert.equal(states.of(list), null);
  states.ended();
  end();

  assert.equal(await found, "late");
});

Deno.test("a commit waits for no read of a list that it does not write to", async () => {
  const states = listStates();
  const { found, end } = await holding(states);
  const steps: string[] = [];

  await states.began(writing(8n));
  states.ended();
  const held = Promise.resolve(states.began(writing())).then(() => void steps.push("held"));
  await new Promise((turn) => setTimeout(turn));
  steps.push("end");
  end();
  await held;
  states.ended();

  assert.equal(await found, "late");
  assert.deepEqual(steps, ["end", "held"]);
});

Deno.test("following() reports the writes from now on, and those of a commit under way twice", async () => {
  const states = listStates();
  const sid = (byte: number) => "CA" + new Uint8Array(16).fill(byte).toHex();
  const write = (byte: number, of = 7n) => {
    const batch = emptyBatch();
    const ord = new Uint8Array(16).fill(byte);
    batch.sets.push({ key: [of, "CA", ord], value: null });
    batch.deletes.push([of, "CA", "status", "busy", ord]);
    return states.began(batch);
  };
  await write(1);
  states.ended();
  await write(2);

  using following = states.following(list);
  assert.equal(following.count, 1);
  assert.deepEqual([...following.taken()], [sid(2)]);
  assert.deepEqual([...following.taken()], [sid(2)], "it is under way still");
  states.ended();
  await write(3, 8n);
  states.ended();
  const removing = emptyBatch();
  removing.deletes.push([7n, "CA", new Uint8Array(16).fill(4)]);
  await states.began(removing);
  states.ended();

  assert.deepEqual([...following.taken()], [sid(2), sid(4)]);
  assert.deepEqual([...following.taken()], []);
});

Deno.test("followed() waits for the commit under way that writes to the list, and for no other", async () => {
  const states = listStates();
  await states.followed(list);
  await states.began(writing(8n));
  await states.followed(list);
  states.ended();
  await states.began(writing());
  const steps: string[] = [];

  const followed = states.followed(list).then(() => steps.push("followed"));
  await new Promise((turn) => setTimeout(turn));
  steps.push("ended");
  states.ended();
  await followed;

  assert.deepEqual(steps, ["ended", "followed"]);
});
