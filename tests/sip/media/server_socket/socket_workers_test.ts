import assert from "node:assert/strict";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import { type ServerMessage, unpackMessage } from "../../../../sip/media/streams/messages.ts";
import { socketWorkers } from "../../../../sip/media/server_socket/socket_workers.ts";
import type { Closing } from "../../../../sip/media/server_socket/socket.ts";
import { eventually } from "../../../support/process/eventually.ts";
import { streamServer } from "../../../support/media/stream_server.ts";

const hanging = new URL("../../../support/media/hanging_sockets.ts", import.meta.url);
const scripted = new URL("../../../support/media/scripted_sockets.ts", import.meta.url);
const hangMs = 4_000;
const hangingMessage = "the thread that reads what its server sends hangs";

/** Sets limits until the end of the test. */
function withLimits(changed: Partial<Record<keyof typeof mediaLimits, number>>): Disposable {
  const before = { ...mediaLimits };
  Object.assign(mediaLimits, changed);
  return { [Symbol.dispose]: () => void Object.assign(mediaLimits, before) };
}

/** Workers that hang when a server says so, and a server. Looks are on time, however slow the machine is. */
async function lab(
  { script = hanging, onStuck = () => {}, now = (): number => 0 } = {},
) {
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
      now,
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
  /** The server's end of one that is open. */
  async function accepted({ path }: { path: string }) {
    let connection = await server.next();
    while (connection.path !== path) connection = await server.next();
    return connection;
  }
  /** Opens one, with the server's end. */
  async function connect(tenant: string, sid?: string) {
    const own = open(tenant, sid);
    assert.equal(await own.opened, true);
    return { ...own, connection: await accepted(own) };
  }
  return { open, accepted, connect, lines, [Symbol.asyncDispose]: () => stack.disposeAsync() };
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
    using _ = withLimits({ workerStuckMs: 100 });
    const stuck = Promise.withResolvers<void>();
    await using workers = await lab({ onStuck: stuck.resolve });
    const hostile = await workers.connect("A");

    hostile.connection.send({ hangMs: 8_000 });

    await stuck.promise;
    const { isGoodbye, why } = await workers.open("A").closing;
    assert.deepEqual([isGoodbye, why], [
      false,
      "a thread hangs on what a server of this account sent before",
    ]);
    await workers.connect("B");
  },
});

Deno.test({
  name: "a tenant whose Worker hangs keeps no other suspect out of one",
  timeout: 120_000,
  async fn() {
    await using workers = await lab();
    for (const tenant of ["A", "B"]) {
      const { connection, closing } = await workers.connect(tenant);
      connection.send({ hangMs: 2_500 });
      assert.equal((await closing).fault, "messages");
    }
    const again = await eventually("A is served again", async () => {
      const one = workers.open("A");
      return await one.opened && one;
    });

    (await workers.accepted(again)).send({ hangMs: 8_000 });

    assert.equal((await again.closing).fault, "messages");
    await eventually("B is served", async () => await workers.open("B").opened);
    assert.match((await workers.open("A").closing).why, /hangs on what a server of this account/);
  },
});

Deno.test({
  name: "a tenant that hung too many Workers is refused for an hour, and then forgotten",
  timeout: 60_000,
  async fn() {
    using _ = withLimits({ socketHangs: 1 });
    let ahead = 0;
    await using workers = await lab({ now: () => ahead });
    const hostile = await workers.connect("A");
    hostile.connection.send({ hangMs });
    assert.equal((await hostile.closing).fault, "messages");

    const refused = await eventually("the thread is back", async () => {
      const { why } = await workers.open("A").closing;
      return why.includes("within an hour") && why;
    });
    ahead = mediaLimits.socketSuspectMs;

    assert.equal(refused, "servers of this account have hung too many threads within an hour");
    await workers.connect("A");
  },
});

Deno.test({
  name: "a thread that is itself late judges no Worker",
  timeout: 60_000,
  async fn() {
    let at = 0;
    await using workers = await lab({ now: () => at += 10_000 });
    const slow = await workers.connect("A");

    slow.connection.send({ hangMs });
    slow.connection.send(mark("after"));

    const hears = eventually("it goes on", () => slow.messages.length === 1);
    await Promise.race([hears, slow.closing.then(({ why }) => assert.fail(why))]);
    assert.deepEqual(workers.lines, []);
  },
});

Deno.test({
  name: "a Worker that goes from one piece of work to the next is given up, and nobody is blamed",
  timeout: 60_000,
  async fn() {
    await using workers = await lab({ script: scripted });
    const busy = workers.open("A", "busy");
    const other = workers.open("A", "other");

    const closings = [await busy.closing, await other.closing];

    assert.deepEqual(closings, Array(2).fill({ isGoodbye: false, why: hangingMessage }));
    assert.deepEqual(workers.lines, [
      { line: "A Worker of streams hangs", fields: { sockets: 2 } },
    ]);
    assert.equal(await workers.open("A").opened, true);
  },
});

Deno.test({
  name: "a Worker that hangs and then ends by an error hangs no longer",
  timeout: 60_000,
  async fn() {
    await using workers = await lab({ script: scripted });
    const hostile = workers.open("A", "throws");
    assert.equal((await hostile.closing).fault, "messages");
    assert.equal(await workers.open("A").opened, false);

    await eventually("the thread has ended", async () => await workers.open("A").opened);
  },
});

Deno.test({
  name: "a server whose response to the handshake hangs a Worker is blamed",
  timeout: 60_000,
  async fn() {
    const script = new URL("../../../support/media/hanging_handshake.ts", import.meta.url);
    await using workers = await lab({ script });

    const { closing } = workers.open("A", "MZ1");

    assert.equal((await closing).fault, "messages");
    assert.equal(workers.lines[0]?.fields.sid, "MZ1");
  },
});
