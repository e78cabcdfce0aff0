import assert from "node:assert/strict";
import { ringMemory, ringReader, ringWriter } from "../../../../sip/media/base/shared_ring.ts";

/** A ring of few bytes, and what was read of it. */
function lab(size = 64) {
  const memory = ringMemory(size);
  const writeRecord = ringWriter(memory);
  const read: { id: number; content: number[] }[] = [];
  return {
    memory,
    read,
    write: (id: number, content: number[]) =>
      writeRecord(id, content.length, (bytes, at) => bytes.set(content, at)),
    writeNothing: (id: number, length: number) => writeRecord(id, length, () => false),
    receive: ringReader(memory, (id, bytes) => read.push({ id, content: [...bytes] })),
  };
}

Deno.test("a ring hands out records in their order, of any length", () => {
  const { write, receive, read } = lab(256);
  const written = Array.from({ length: 500 }, (_, i) => ({
    id: i + 1,
    content: Array.from({ length: 1 + i * 7 % 90 }, (_, at) => (i + at) & 0xff),
  }));

  for (const { id, content } of written) {
    if (id % 3 === 0) receive();
    if (!write(id, content)) {
      receive();
      assert.ok(write(id, content), `${content.length} bytes fit into an empty ring`);
    }
  }
  receive();

  assert.deepEqual(read, written);
});

Deno.test("a ring that has no room, or a record that is not filled, changes nothing", () => {
  const { write, writeNothing, receive, read } = lab();
  assert.equal(write(1, Array(20).fill(1)), true);
  assert.equal(write(2, Array(20).fill(2)), true);
  assert.equal(write(3, [3]), false, "it is full");
  receive();
  assert.equal(writeNothing(4, 8), false);
  assert.equal(write(5, [5]), true);
  receive();

  assert.deepEqual(read.map(({ id }) => id), [1, 2, 5]);
});

Deno.test("a ring counts on when its counters have come to their end", () => {
  const { memory, write, receive, read } = lab();
  new Int32Array(memory, 0, 2).fill(0x7fff_fff0);
  for (let id = 1; id <= 20; id++) {
    assert.ok(write(id, [id]));
    receive();
  }
  assert.deepEqual(read.map(({ content: [first] }) => first), read.map(({ id }) => id));
  assert.equal(read.length, 20);
});

Deno.test("a receiver that reads the ring again takes each record once", () => {
  const memory = ringMemory(64);
  const write = ringWriter(memory);
  const taken: number[] = [];
  const receive = ringReader(memory, (id) => {
    taken.push(id);
    if (id === 1) write(3, 1, () => {});
    receive();
  });
  write(1, 1, () => {});
  write(2, 1, () => {});

  receive();

  assert.deepEqual(taken, [1, 2, 3]);
});

Deno.test("a ring reports an error of its receiver, and hands out the other records", () => {
  const memory = ringMemory(64);
  const write = ringWriter(memory);
  const taken: number[] = [];
  const reported: string[] = [];
  const receive = ringReader(memory, (id) => {
    taken.push(id);
    if (id === 1) throw new Error("of one record");
  });
  for (const id of [1, 2]) write(id, 1, () => {});
  const onError = (event: ErrorEvent) => {
    event.preventDefault();
    reported.push(event.message);
  };
  addEventListener("error", onError);
  try {
    receive();
  } finally {
    removeEventListener("error", onError);
  }

  assert.deepEqual([taken, reported.length], [[1, 2], 1]);
});
