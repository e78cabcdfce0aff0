import assert from "node:assert/strict";
import { LIBC_PATHS } from "../../../../core/base/libc_paths.ts";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import { polledUdp } from "../../../../sip/media/rtp/polled_udp.ts";
import { bindDatagrams, type Datagrams, type Udp } from "../../../../sip/media/rtp/rtp_sockets.ts";

const loopback = "127.0.0.1";
const at = ({ port }: Datagrams) => ({ address: loopback, port });

type Body = (lab: { udp: Udp; bind(port?: number): Promise<Datagrams> }) => Promise<void>;

/** What fails instead of hanging, and leaves no socket, timer or library behind. */
function polledTest(name: string, body: Body): void {
  Deno.test({
    name,
    timeout: 90_000,
    ignore: Deno.build.os !== "linux",
    async fn() {
      const udp = polledUdp();
      assert.ok(udp, "the C library is not to be had");
      const sockets: Datagrams[] = [];
      const bind = async (port = 0) => {
        const socket = await udp.bind(loopback, port);
        sockets.push(socket);
        return socket;
      };
      try {
        await body({ udp, bind });
      } finally {
        await Promise.all(sockets.map((socket) => socket.close()));
        udp.close();
      }
    },
  });
}

/** Resolves with the lengths of what comes, up to the first datagram of a length. */
function lengthsUntil(socket: Datagrams, last: number): Promise<number[]> {
  const done = Promise.withResolvers<number[]>();
  const lengths: number[] = [];
  socket.onMessage = ({ length }) => {
    lengths.push(length);
    if (length === last) done.resolve(lengths);
  };
  return done.promise;
}

polledTest("datagrams come in order with their sender, who can be answered", async ({ bind }) => {
  const [one, other] = [await bind(), await bind()];
  const answered = Promise.withResolvers<number[]>();
  const heard: number[][] = [];
  other.onMessage = (bytes, from) => {
    assert.deepEqual(from, at(one));
    heard.push([...bytes]);
    other.send(bytes, from);
  };
  one.onMessage = (bytes) => bytes[0] === 9 && answered.resolve([...bytes]);

  const bytes = new Uint8Array(3);
  for (let i = 0; i < 10; i++) {
    bytes.fill(i);
    one.send(bytes, at(other)); // It was only lent.
  }
  assert.deepEqual(await answered.promise, [9, 9, 9]);
  assert.deepEqual(heard.map(([first]) => first), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

Deno.test({
  name: "the library alone may be loaded, as in the companion",
  timeout: 30_000,
  ignore: Deno.build.os !== "linux",
  permissions: { net: true, ffi: LIBC_PATHS },
  async fn() {
    const udp = polledUdp();
    assert.ok(udp, "the C library is not to be had");
    const [one, other] = [await udp.bind(loopback, 0), await udp.bind(loopback, 0)];
    const arriving = lengthsUntil(other, 2);
    one.send(new Uint8Array(2), at(other));
    assert.deepEqual(await arriving, [2]);
    await Promise.all([one.close(), other.close()]);
    udp.close();
  },
});

polledTest("each sender is told from others, also by its address alone", async ({ bind }) => {
  const socket = await bind();
  const senders = [await bind(), await bindDatagrams("127.0.0.2", 0), await bind()];
  const heard: string[] = [];
  try {
    for (const sender of [senders[0]!, senders[1]!, senders[2]!, senders[0]!]) {
      const told = Promise.withResolvers<string>();
      socket.onMessage = (_, { address, port }) => told.resolve(`${address}:${port}`);
      sender.send(new Uint8Array(1), at(socket));
      heard.push(await told.promise);
    }
  } finally {
    await senders[1]!.close();
  }
  const [one, two, three] = senders.map(({ port }) => port);
  assert.deepEqual(heard, [
    `127.0.0.1:${one}`,
    `127.0.0.2:${two}`,
    `127.0.0.1:${three}`,
    `127.0.0.1:${one}`,
  ]);
});

polledTest("a datagram that may have been cut off is dropped", async ({ bind }) => {
  const [one, other] = [await bind(), await bind()];
  const { datagramBytes } = mediaLimits;
  const arriving = lengthsUntil(other, 2);
  for (const length of [0, 1, datagramBytes - 1, datagramBytes, 9_000, 60_000, 2]) {
    one.send(new Uint8Array(length), at(other));
  }
  assert.deepEqual(await arriving, [0, 1, datagramBytes - 1, 2]);
});

polledTest("what cannot be sent is lost, and what follows goes out", async ({ bind }) => {
  const [one, other] = [await bind(), await bind()];
  const arriving = lengthsUntil(other, 2);
  for (const address of ["::1", "localhost", "127.0.0.256", "127.0.0.1.1", ""]) {
    one.send(new Uint8Array(1), { ...at(other), address });
  }
  one.send(new Uint8Array(1), { address: loopback, port: 0 });
  one.send(new Uint8Array(70_000), at(other));
  one.send(new Uint8Array(2), at(other));
  assert.deepEqual(await arriving, [2]);
});

polledTest(
  "what is sent on hearing a packet leaves in order, before its socket is closed",
  async ({ bind }) => {
    const [one, other] = [await bind(), await bind()];
    const many = 2 * mediaLimits.queuedPackets + 1;
    one.onMessage = () => {
      const answer = new Uint8Array(many);
      for (let i = 1; i <= many; i++) one.send(answer.subarray(0, i), at(other));
      void one.close();
    };
    const arriving = lengthsUntil(other, many);
    other.send(new Uint8Array(1), at(one));
    assert.deepEqual(await arriving, Array.from({ length: many }, (_, i) => i + 1));
  },
);

polledTest(
  "packets reach whom they were sent to, though another is sent to before they leave",
  async ({ bind }) => {
    const [one, two, three] = [await bind(), await bind(), await bind()];
    one.onMessage = () => {
      for (const [bytes, to] of [[1, two], [2, three], [3, two], [4, three]] as const) {
        one.send(new Uint8Array(bytes), at(to));
      }
    };
    const arriving = [lengthsUntil(two, 3), lengthsUntil(three, 4)];
    two.send(new Uint8Array(1), at(one));
    assert.deepEqual(await Promise.all(arriving), [[1, 3], [2, 4]]);
  },
);

polledTest("a socket that is closed while others are told hears nothing more", async (lab) => {
  const [one, two, sender] = [await lab.bind(), await lab.bind(), await lab.bind()];
  const told: Datagrams[] = [];
  const done = Promise.withResolvers<void>();
  for (const [socket, other] of [[one, two], [two, one]] as const) {
    socket.onMessage = () => {
      told.push(socket);
      void other.close();
      void other.close();
      other.send(new Uint8Array(1), at(sender));
      done.resolve();
    };
  }
  sender.send(new Uint8Array(1), at(one));
  sender.send(new Uint8Array(1), at(two));
  await done.promise;
  // A socket that is opened now may have its descriptor.
  const next = await lab.bind();
  const arriving = lengthsUntil(next, 2);
  for (const closed of [one, two].filter((socket) => !told.includes(socket))) {
    closed.send(new Uint8Array(1), at(next));
    await closed.close();
  }
  sender.send(new Uint8Array(2), at(next));
  assert.deepEqual(await arriving, [2]);
  assert.equal(told.length, 1);
});

polledTest("a flood to one socket keeps no other waiting", async ({ bind }) => {
  const [flooded, other, sender] = [await bind(), await bind(), await bind()];
  const noise = new Uint8Array(100);
  const flood = setInterval(() => {
    for (let i = 0; i < 2 * mediaLimits.polledRounds; i++) sender.send(noise, at(flooded));
  }, 1);
  try {
    const arriving = lengthsUntil(other, 20);
    for (let length = 1; length <= 20; length++) sender.send(new Uint8Array(length), at(other));
    assert.equal((await arriving).length, 20);
  } finally {
    clearInterval(flood);
  }
});

polledTest("bind() says why a port is not to be had, and close() frees it", async (lab) => {
  const first = await lab.bind();
  await assert.rejects(lab.bind(first.port), /Address already in use/);
  await first.close();
  const second = await lab.bind(first.port);
  assert.equal(second.port, first.port);
  await assert.rejects(lab.udp.bind("203.0.113.1", 0), /Cannot assign requested address/);
});

polledTest("close() ends sockets that are open still", async ({ udp, bind }) => {
  const { port } = await bind();
  udp.close();
  udp.close();
  await (await bindDatagrams(loopback, port)).close();
  const later = await udp.bind(loopback, 0);
  await later.close();
});

polledTest("what comes after a rest is heard, and so is what follows", async ({ bind }) => {
  const [sender, other] = [await bind(), await bind()];
  for (const burst of [1, 2, 3]) {
    const arriving = lengthsUntil(other, 20);
    for (let length = 1; length <= 20; length++) sender.send(new Uint8Array(length), at(other));
    assert.equal((await arriving).length, 20, `burst ${burst}`);
    await rest();
  }
});

/** Lasts until sockets that nothing uses are polled at their slow pace. */
const rest = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let ticks = 0;
  const timer = setInterval(() => {
    if (++ticks <= mediaLimits.idlePolls) return;
    clearInterval(timer);
    resolve();
  }, 2 * mediaLimits.pollMs);
  return promise;
};
