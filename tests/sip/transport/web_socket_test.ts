import assert from "node:assert/strict";
import { sipLimits } from "../../../sip/base/limits.ts";
import { frameHead, frameOf, opcodes } from "../../support/sip/raw_websocket.ts";
import { sipTest } from "../../support/sip/sip_lab.ts";
import { eventually } from "../../support/process/eventually.ts";
import { openWebSocketLab } from "../../support/sip/web_socket_lab.ts";

const idleMs = sipLimits.socketIdleS * 1000;
const utf8 = (bytes?: Uint8Array) => new TextDecoder().decode(bytes);

sipTest("openWebSocketFlow() closes with 1009 at the head of a frame of 50 MB", async () => {
  await using lab = await openWebSocketLab();
  const peer = await lab.open();
  const [socket] = lab.sockets;
  const before = socket!.bytesRead;

  await peer.write(frameHead(50 << 20));
  const code = await peer.closeCode();
  const chunk = new Uint8Array(1 << 20);
  const flooding = (async () => {
    for (let sent = 0; sent < 50; sent++) await peer.write(chunk);
  })().catch(() => {});
  await eventually("no more is read", () => socket!.isPaused());
  lab.clock.advance(sipLimits.socketCloseMs);
  await lab.nextClosed();
  await flooding;

  assert.equal(code, 1009);
  assert.ok(socket!.bytesRead - before < 1 << 20, `${socket!.bytesRead} bytes were read`);
  assert.equal(lab.clock.waiting(), 0);
});

sipTest("openWebSocketFlow() answers a ping between the frames of a message", async () => {
  await using lab = await openWebSocketLab();
  const peer = await lab.open();

  await peer.frame("OPTIONS", { last: false });
  await peer.frame("hello", { opcode: opcodes.ping });
  const pong = await peer.read();
  await peer.frame(" sip:a@b", { opcode: opcodes.continuation });

  assert.deepEqual([pong?.opcode, utf8(pong?.payload)], [10, "hello"]);
  assert.equal((await lab.nextMessage()).text, "OPTIONS sip:a@b");
});

sipTest("openWebSocketFlow() answers the keep-alive of SIP, and hands on none", async () => {
  await using lab = await openWebSocketLab();
  const peer = await lab.open();

  await peer.frame("\r\n");
  await peer.frame("\r\n\r\n");
  await peer.frame("OPTIONS");

  assert.equal(utf8((await peer.read())?.payload), "\r\n");
  assert.equal((await lab.nextMessage()).text, "OPTIONS");
});

sipTest("openWebSocketFlow() takes frames that came right behind the handshake", async () => {
  await using lab = await openWebSocketLab();
  const head = [
    "GET / HTTP/1.1",
    "Host: a",
    "Upgrade: websocket",
    "Connection: upgrade",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Protocol: sip",
  ].join("\r\n");
  using connection = await Deno.connect({ port: lab.port });

  const text = `${head}\r\n\r\n`;
  await connection.write(Uint8Array.of(...new TextEncoder().encode(text), ...frameOf("A", {})));

  assert.equal((await lab.nextMessage()).text, "A");
});

sipTest("openWebSocketFlow() echoes the code of a peer that closes", async () => {
  await using lab = await openWebSocketLab();
  const [coded, plain] = [await lab.open(), await lab.open()];

  await coded.frame(Uint8Array.of(0x0f, 0xa0), { opcode: opcodes.close });
  await plain.frame("", { opcode: opcodes.close });

  assert.equal(await coded.closeCode(), 4000);
  assert.equal((await plain.read())?.payload.length, 0);
  assert.equal(await coded.read(), undefined);
  coded.close();
  plain.close();
  await lab.nextClosed();
  await lab.nextClosed();
  assert.deepEqual([lab.clock.waiting(), lab.places()], [0, 0]);
});

sipTest("openWebSocketFlow() says 1001, and waits for the answer but not for ever", async () => {
  await using lab = await openWebSocketLab();
  const peer = await lab.open();
  await peer.frame("first");
  const { flow } = await lab.nextMessage();

  flow.close();
  const code = await peer.closeCode();
  await peer.frame("late");
  assert.equal(flow.closed, true);
  await assert.rejects(
    flow.transport.send("BYE"),
    /^Error: Cannot send: the connection is closed$/,
  );

  assert.equal(code, 1001);
  assert.equal(await lab.nextClosed(), flow);
  assert.equal(lab.clock.waiting(), 0);
});

sipTest(
  "openWebSocketFlow() asks a silent peer for a pong, and ends one that is gone",
  async () => {
    await using lab = await openWebSocketLab();
    const peer = await lab.open();
    await peer.frame("first");
    await lab.nextMessage();

    lab.clock.advance(idleMs);
    lab.clock.advance(idleMs);
    const ping = await peer.read();
    await peer.frame("", { opcode: 10 });
    await peer.frame("second");
    const { flow } = await lab.nextMessage();
    lab.clock.advance(idleMs);
    assert.equal(flow.closed, false);
    lab.clock.advance(idleMs);
    const again = await peer.read();
    lab.clock.advance(idleMs);

    assert.deepEqual([ping?.opcode, again?.opcode], [opcodes.ping, opcodes.ping]);
    assert.equal(await lab.nextClosed(), flow);
    assert.equal(await peer.read(), undefined);
  },
);

sipTest("openWebSocketFlow() closes with 1008 who does not complete a message", async () => {
  await using lab = await openWebSocketLab();
  const [fragment, head] = [await lab.open(), await lab.open()];
  const before = lab.sockets.map(({ bytesRead }) => bytesRead);

  await fragment.frame("x", { last: false });
  await head.write(frameHead(10));
  await eventually(
    "both are taken",
    () => lab.sockets.every(({ bytesRead }, at) => bytesRead > before[at]!),
  );
  lab.clock.advance(sipLimits.messageCompleteMs - 1);
  await fragment.frame("", { opcode: opcodes.ping });
  assert.equal((await fragment.read())?.opcode, 10);
  lab.clock.advance(1);

  assert.deepEqual([await fragment.closeCode(), await head.closeCode()], [1008, 1008]);
});

sipTest("openWebSocketFlow() counts a message that begins in the octets of another", async () => {
  await using lab = await openWebSocketLab();
  const peer = await lab.open();

  await peer.write(Uint8Array.of(...frameOf("OPTIONS", {}), ...frameOf("x", { last: false })));
  await lab.nextMessage();
  lab.clock.advance(sipLimits.messageCompleteMs - 1);
  await peer.frame("", { opcode: opcodes.ping });
  assert.equal((await peer.read())?.opcode, 10);
  lab.clock.advance(1);

  assert.equal(await peer.closeCode(), 1008);
});

sipTest("openWebSocketFlow() ends a peer that closes and does not let go", async () => {
  await using lab = await openWebSocketLab();
  const peer = await lab.open();
  const started = performance.now();

  await peer.frame("", { opcode: opcodes.close });
  await lab.nextClosed();

  assert.ok(performance.now() - started < 10 * sipLimits.socketCloseMs);
  assert.equal(lab.places(), 0);
});

sipTest("openWebSocketFlow() closes when the peer ends without a word", async () => {
  await using lab = await openWebSocketLab();
  const peer = await lab.open();
  await peer.frame("first");
  const { flow } = await lab.nextMessage();

  peer.close();

  assert.equal(await lab.nextClosed(), flow);
  assert.deepEqual([lab.clock.waiting(), lab.places()], [0, 0]);
});

/** What a peer may not send (RFC 6455 §5, §7.4, §8.1), as bytes without a mask key but of zeros. */
const refused: Record<string, [code: number, ...frames: Uint8Array[]]> = {
  "an opcode that is not defined": [1002, frameOf("x", { opcode: 3 })],
  "a frame without a mask": [1002, Uint8Array.of(0x81, 1, 0x78)],
  "a reserved bit": [1002, Uint8Array.of(0xc1, 0x81, 0, 0, 0, 0, 0x78)],
  "the end of a message that did not begin": [1002, frameOf("x", { opcode: 0 })],
  "a message within a message": [1002, frameOf("x", { last: false }), frameOf("y", {})],
  "a control frame in parts": [1002, frameOf("x", { opcode: opcodes.ping, last: false })],
  "a control frame of 126 bytes": [1002, frameOf("x".repeat(126), { opcode: opcodes.ping })],
  "a close code that means its absence": [
    1002,
    frameOf(Uint8Array.of(0x03, 0xed), { opcode: opcodes.close }),
  ],
  "text that is not UTF-8": [1007, frameOf(Uint8Array.of(0xc3, 0x28), {})],
  "text that is not UTF-8 across its parts": [
    1007,
    frameOf(Uint8Array.of(0xe2), { last: false }),
    frameOf(Uint8Array.of(0x28), { opcode: 0 }),
  ],
  "parts that are too long together": [
    1009,
    frameOf("x".repeat(sipLimits.messageBytes), { last: false }),
    frameOf("x", { opcode: 0 }),
  ],
};

for (const [what, [code, ...frames]] of Object.entries(refused)) {
  sipTest(`openWebSocketFlow() closes with ${code} at ${what}, and hands on nothing`, async () => {
    await using lab = await openWebSocketLab();
    const peer = await lab.open();

    for (const frame of frames) await peer.write(frame);

    assert.equal(await peer.closeCode(), code);
    assert.equal(await peer.read(), undefined);
    peer.close();
    const flow = await lab.nextClosed();
    assert.ok(flow.closed);
    assert.deepEqual([lab.clock.waiting(), lab.places()], [0, 0]);
  });
}

sipTest("openWebSocketFlow() does not count control frames as a message that is late", async () => {
  await using lab = await openWebSocketLab();
  const peer = await lab.open();

  for (let sent = 0; sent < 3; sent++) {
    await peer.frame("still here", { opcode: opcodes.ping });
    assert.equal((await peer.read())?.opcode, 10);
    lab.clock.advance(sipLimits.messageCompleteMs - 1);
  }
  await peer.frame("OPTIONS");
  const { flow } = await lab.nextMessage();
  lab.clock.advance(sipLimits.messageCompleteMs);

  assert.equal(flow.closed, false);
});
