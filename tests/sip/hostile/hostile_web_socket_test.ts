import assert from "node:assert/strict";
import { sipLimits } from "../../../sip/base/limits.ts";
import { opcodes, openRawWebSocket, type RawWebSocket } from "../../support/sip/raw_websocket.ts";
import { sipTest, startSipLab } from "../../support/sip/sip_lab.ts";

const options = (more: string[] = []) =>
  [
    "OPTIONS sip:sip.test SIP/2.0",
    "Via: SIP/2.0/WS phone.invalid;branch=z9hG4bKraw",
    "From: <sip:alice@sip.test>;tag=raw",
    "To: <sip:sip.test>",
    "Call-ID: raw",
    "CSeq: 7 OPTIONS",
    ...more,
    "",
    "",
  ].join("\r\n");

/** The first line of the next message; undefined when the connection ended. */
async function firstLine(socket: RawWebSocket): Promise<string | undefined> {
  const frame = await socket.read();
  return frame && new TextDecoder().decode(frame.payload).split("\r\n")[0];
}

const ok = "SIP/2.0 200 OK";

sipTest(
  "listenWebSocket() refuses a connection without subprotocol, or with endless headers",
  async () => {
    await using lab = await startSipLab();
    const { sipUrl } = lab.companion;
    const many = Array.from({ length: 3_000 }, (_, i) => `X-${i}: y`);

    const plain = await openRawWebSocket(sipUrl, []);
    const wrong = await openRawWebSocket(sipUrl, ["Sec-WebSocket-Protocol: xmpp"]);
    const endless = await openRawWebSocket(sipUrl, ["Sec-WebSocket-Protocol: sip", ...many]);
    for (const socket of [plain, wrong, endless]) socket.close();

    assert.deepEqual([plain.status, wrong.status], [400, 400]);
    assert.ok(endless.status >= 400, endless.head);
  },
);

sipTest(
  "openWebSocketFlow() takes text, binary and fragments, however slowly they come",
  async () => {
    await using lab = await startSipLab();
    const socket = await openRawWebSocket(lab.companion.sipUrl);
    const text = options();

    await socket.frame(text);
    const whole = await firstLine(socket);
    await socket.frame(text, { opcode: opcodes.binary });
    const binary = await firstLine(socket);
    await socket.frame(text.slice(0, 1), { last: false });
    for (const letter of text.slice(1, -1)) {
      await socket.frame(letter, { opcode: opcodes.continuation, last: false });
    }
    await socket.frame(text.slice(-1), { opcode: opcodes.continuation });
    const fragments = await firstLine(socket);
    socket.close();

    assert.deepEqual([whole, binary, fragments], [ok, ok, ok]);
  },
);

sipTest("openWebSocketFlow() closes with 1009 what is larger than a message may be", async () => {
  await using lab = await startSipLab();
  const [whole, fragments] = [
    await openRawWebSocket(lab.companion.sipUrl),
    await openRawWebSocket(lab.companion.sipUrl),
  ];

  await whole.frame("x".repeat(sipLimits.messageBytes + 1));
  await fragments.frame("x".repeat(sipLimits.messageBytes), { last: false });
  await fragments.frame("x", { opcode: opcodes.continuation });
  const codes = [await whole.closeCode(), await fragments.closeCode()];
  whole.close();
  fragments.close();

  assert.deepEqual(codes, [1009, 1009]);
});

sipTest(
  "openWebSocketFlow() ends on text that is no UTF-8, and reads past it in binary",
  async () => {
    await using lab = await startSipLab();
    const [text, binary] = [
      await openRawWebSocket(lab.companion.sipUrl),
      await openRawWebSocket(lab.companion.sipUrl),
    ];
    const bytes = new TextEncoder().encode(options(["Subject: #"])).map((byte) =>
      byte === 35 ? 0xff : byte
    );

    await text.frame(bytes);
    await binary.frame(bytes, { opcode: opcodes.binary });
    const answers = [await firstLine(text), await firstLine(binary)];
    text.close();
    binary.close();

    assert.notEqual(answers[0], ok);
    assert.equal(answers[1], ok);
  },
);

sipTest(
  "listenWebSocket() gives an address so many connections, and frees them again",
  async () => {
    await using lab = await startSipLab({ admission: { connectionsPerAddress: 2 } });
    const { sipUrl } = lab.companion;
    const [first, second] = [await openRawWebSocket(sipUrl), await openRawWebSocket(sipUrl)];

    const third = await openRawWebSocket(sipUrl);
    await first.frame(new Uint8Array([0x03, 0xe8]), { opcode: opcodes.close });
    await first.closeCode();
    first.close();
    let later = await openRawWebSocket(sipUrl);
    while (later.status !== 101) {
      later.close();
      later = await openRawWebSocket(sipUrl);
    }
    for (const socket of [second, third, later]) socket.close();

    assert.deepEqual([second.status, third.status], [101, 503]);
    assert.match(third.head, /retry-after: 10/i);
  },
);

sipTest("receive() refuses a source above its rate, then closes the connection", async () => {
  await using lab = await startSipLab({ admission: { unauthenticatedRequestsPerS: 10 } });
  const [fast, other] = [
    await openRawWebSocket(lab.companion.sipUrl),
    await openRawWebSocket(lab.companion.sipUrl),
  ];

  for (let i = 0; i < 12; i++) await fast.frame(options());
  const answers: unknown[] = [];
  for (let line = await firstLine(fast); line?.startsWith("SIP"); line = await firstLine(fast)) {
    answers.push(line);
  }
  await other.frame(options());
  const served = await firstLine(other);
  fast.close();
  other.close();

  assert.equal(answers[0], ok);
  assert.equal(answers.at(-1), "SIP/2.0 503 Service Unavailable");
  assert.ok(answers.length < 12);
  assert.equal(served, ok);
});

/** How many frames were taken before the connection ended, or nobody read them any more. */
async function sendUntilCutOff(socket: RawWebSocket, text: string, most: number): Promise<number> {
  const stalled = Promise.withResolvers<never>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sent = 0;
  const send = async () => {
    for (; sent < most; sent++) {
      clearTimeout(timer);
      timer = setTimeout(() => stalled.reject(new Error("Nobody reads")), 10_000);
      await socket.frame(text);
    }
  };
  await Promise.race([send(), stalled.promise]).catch(() => {});
  clearTimeout(timer);
  return sent;
}

sipTest(
  "openWebSocketFlow() closes a peer that does not read, before it fills our memory",
  async () => {
    await using lab = await startSipLab({ admission: { unauthenticatedRequestsPerS: 0 } });
    const socket = await openRawWebSocket(lab.companion.sipUrl);
    const big = options([`Subject: ${"x".repeat(4_000)}`, `Via: SIP/2.0/WS ${"v".repeat(4_000)}`]);

    const sent = await sendUntilCutOff(socket, big, 8_000);
    socket.close();
    const other = await openRawWebSocket(lab.companion.sipUrl);
    await other.frame(options());
    const served = await firstLine(other);
    other.close();

    // Each answer is 4 KB, and the system holds some megabytes of its own beside our one.
    assert.ok(sent < 4_000, `${sent} requests were answered`);
    assert.equal(served, ok);
  },
);
