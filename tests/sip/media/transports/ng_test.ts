import assert from "node:assert/strict";
import {
  askNg,
  type NgAddress,
  NgRefusal,
  NgUnanswered,
} from "../../../../sip/media/transports/ng.ts";

interface Heard {
  cookie: string;
  message: Record<string, unknown>;
  /** Answers, with the same cookie unless another is given. */
  answer(text: string, cookie?: string): Promise<unknown>;
}

/** A test with an rtpengine that answers as told. */
function ngTest(
  name: string,
  onRequest: (heard: Heard, count: number) => void,
  body: (address: NgAddress, heard: Heard[]) => Promise<void>,
): void {
  Deno.test({
    name,
    timeout: 90_000,
    async fn() {
      const host = "127.0.0.1";
      const socket = Deno.listenDatagram({ transport: "udp", hostname: host, port: 0 });
      const heard: Heard[] = [];
      const serving = (async () => {
        for await (const [bytes, from] of socket) {
          const text = new TextDecoder().decode(bytes);
          const [, cookie = "", json = ""] = /^(\S+) (.*)$/.exec(text) ?? [];
          const request: Heard = {
            cookie,
            message: JSON.parse(json),
            answer: (text, own = cookie) =>
              socket.send(new TextEncoder().encode(`${own} ${text}`), from),
          };
          onRequest(request, heard.push(request));
        }
      })();
      try {
        await body({ host, port: (socket.addr as Deno.NetAddr).port }, heard);
      } finally {
        socket.close();
        await serving;
      }
    },
  });
}

ngTest(
  "askNg() repeats a lost request with its cookie, and takes no answer to another",
  (request, count) => {
    if (count === 1) return;
    void request.answer('{"result":"ok","sdp":"wrong"}', "another");
    void request.answer('{"result":"ok","sdp":"right"}');
  },
  async (address, heard) => {
    const { sdp } = await askNg(address, "offer", { "call-id": "1", flags: ["ä"] });
    assert.equal(sdp, "right");
    assert.equal(heard.length, 2);
    assert.equal(heard[0]!.cookie, heard[1]!.cookie);
    for (const { message } of heard) {
      assert.deepEqual(message, { command: "offer", "call-id": "1", flags: ["ä"] });
    }
  },
);

ngTest(
  "askNg() tells a refusal, with its reason, from an answer that is not understood",
  (request, count) =>
    void request.answer(
      [
        '{"result":"error","error-reason":"Unknown call-id"}',
        '{"result":"load limit","message":"Parallel session limit reached"}',
        "d6:result4:ponge",
        '{"sdp":"no result"}',
      ][count - 1]!,
    ),
  async (address) => {
    const refused = (why: string) => (error: Error) =>
      error instanceof NgRefusal &&
      error.message === `rtpengine at 127.0.0.1:${address.port} refuses "query": ${why}`;
    await assert.rejects(askNg(address, "query"), refused("Unknown call-id"));
    await assert.rejects(askNg(address, "query"), refused("Parallel session limit reached"));
    for (let i = 0; i < 2; i++) {
      await assert.rejects(
        askNg(address, "query"),
        (error: Error) =>
          !(error instanceof NgRefusal) && !(error instanceof NgUnanswered) &&
          /answers what is not understood$/.test(error.message),
      );
    }
  },
);

ngTest(
  "askNg() gives up after a few tries",
  () => {},
  async (address, heard) => {
    await assert.rejects(
      askNg(address, "ping"),
      (error: Error) =>
        error instanceof NgUnanswered && /does not answer to "ping"$/.test(error.message),
    );
    assert.equal(heard.length, 3);
    assert.equal(new Set(heard.map(({ cookie }) => cookie)).size, 1);
  },
);
