import assert from "node:assert/strict";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import { type ServerMessage, unpackMessage } from "../../../../sip/media/streams/messages.ts";
import { socketWorkers } from "../../../../sip/media/server_socket/socket_workers.ts";
import type { Closing } from "../../../../sip/media/server_socket/socket.ts";
import { eventually } from "../../../support/process/eventually.ts";
import { streamServer } from "../../../support/media/stream_server.ts";

const hanging = new URL("../../../support/media/hanging_sockets.ts", import.meta.url);
const hangMs = 4_000;

/** Workers that hang when a server says so, and a server. */
async function lab({ script = hanging, onStuck = () => {} } = {}) {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await streamServer());
  const lines: { line: string; fields: Record<string, unknown> }[] = [];
  const sockets = stack.adopt(
    socketWorkers<ServerMessage>({
      script,
      unpack: unpackMessage,
      mayReachPrivate: true,
      log: (line, fields = {}) => lines.push({ line, fields }),
      onStuck,
      checkMs: 300,
    }),
    (sockets) => sockets.close(),
  );
  let last = 0;
  /** Opens one, and what it tells. */
  function open(tenant: string, sid = tenant) {
    const opened = Promise.withResolvers<boolean>();
    const closing = Promise.withResolvers<Closing>();
    const messages: ServerMessage[] = [];
    const path = `/${++last}`;
    const url = server.url + path;
    const socket = sockets.open({ url, headers: {}, tenant, sid, isHeard: true }, {
      onOpen: () => opened.resolve(true),
      onMessage: (message) => messages.push(message),
      onBadMessage() {},
      onPong() {},
      onClose(reason) {
        opened.resolve(false);
        closing.resolve(reason);
      },
    });
    return { path, socket, opened: opened.promise, closing: closing.promise, messages };
  }
  /** The same, once it is open, with the server's end. */
  async function connect(tenant: string, sid?: string) {
    const own = open(tenant, sid);
    assert.equal(await own.opened, true);
    let connection = await server.next();
    while (connection.path !== own.path) connection = await server.next();
    return { ...own, connection };
  }
  return { open, connect, lines, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

type Connected = Awaited<ReturnType<Awaited<ReturnType<typeof lab>>["connect"]>>;

const mark = (name: string) => ({ event: "mark", mark: { name } });

Deno.test({
  name: "a message that hangs a Worker ends the sockets there alone, and its own for it",
  timeout: 120_000,
  async fn() {
    await using workers = await lab();
    const hostile = await workers.connect("A", "MZ1");
    const other = await workers.connect("A", "MZ2");
    const bystander = await workers.connect("B", "MZ3");

    hostile.connection.send({ hangMs });

    assert.deepEqual(await hostile.closing, {
      isGoodbye: false,
      why: "the thread that reads what its server sends hung on a message",
      fault: "messages",
    });
    assert.match((await other.closing).why, /another stream hung it/);
    assert.deepEqual(workers.lines, [
      { line: "A Worker of streams hangs", fields: { sockets: 2, sid: "MZ1" } },
    ]);
    bystander.connection.send(mark("after"));
    await eventually("it goes on", () => bystander.messages.length === 1);
    // Tenants whose servers hung none have another Worker meanwhile; the one whose server did waits.
    await workers.connect("C");
    assert.match((await workers.open("A").closing).why, /hangs/);
    await eventually("the thread is back", async () => {
      const again = workers.open("A");
      if (!await again.opened) return false;
      again.socket.close();
      return true;
    });
  },
});

Deno.test({
  name: "a tenant whose server hung a Worker shares none with tenants whose servers did not",
  timeout: 120_000,
  async fn() {
    await using workers = await lab();
    const first = await workers.connect("A");
    first.connection.send({ hangMs });
    await first.closing;
    await eventually("it is served again", async () => {
      const again = workers.open("A");
      const isOpen = await again.opened;
      again.socket.close();
      return isOpen;
    });
    const others: Connected[] = [];
    for (const tenant of ["B", "C", "D"]) others.push(await workers.connect(tenant));
    const again = await workers.connect("A");

    again.connection.send({ hangMs });

    assert.equal((await again.closing).fault, "messages");
    for (const { connection } of others) connection.send(mark("after"));
    await eventually(
      "the others go on",
      () => others.every(({ messages }) => messages.length === 1),
    );
  },
});

Deno.test({
  name: "more tenants than Workers share them, one tenant stays in one",
  timeout: 120_000,
  async fn() {
    await using workers = await lab();
    const tenants = Array.from({ length: mediaLimits.socketWorkers + 1 }, (_, i) => `T${i}`);
    const opened: Connected[] = [];
    for (const tenant of tenants) opened.push(await workers.connect(tenant));

    // The last one shares the Worker of the first.
    opened[0]!.connection.send({ hangMs });

    assert.equal((await opened[0]!.closing).fault, "messages");
    assert.match((await opened.at(-1)!.closing).why, /another stream hung it/);
    opened[1]!.connection.send(mark("after"));
    await eventually("the others go on", () => opened[1]!.messages.length === 1);
  },
});

Deno.test({
  name: "a Worker that cannot start, and one that ends, close their sockets with the reason",
  timeout: 60_000,
  async fn() {
    const script = new URL(`data:text/javascript,throw new Error("no more")`);
    await using workers = await lab({ script });

    const { isGoodbye, why } = await workers.open("A").closing;

    assert.equal(isGoodbye, false);
    assert.match(why, /the thread that reads streams ended: .*no more/);
  },
});

Deno.test({
  name: "a Worker that does not come back is told of, and its tenant alone is refused",
  timeout: 60_000,
  async fn() {
    const limits = mediaLimits as { workerStuckMs: number };
    const before = limits.workerStuckMs;
    limits.workerStuckMs = 100;
    try {
      const stuck = Promise.withResolvers<void>();
      await using workers = await lab({ onStuck: stuck.resolve });
      const hostile = await workers.connect("A");

      hostile.connection.send({ hangMs });

      await stuck.promise;
      await workers.connect("B");
    } finally {
      limits.workerStuckMs = before;
    }
  },
});
