import assert from "node:assert/strict";
import { createListeners } from "../../../sip/media/base/listeners.ts";
import { watchMedia } from "../../../sip/leg/watch_media.ts";

/** A phone that stays silent, and answers each probe when the test says so. */
function silentPhone({ rtpTimeoutMs = 0 } = {}) {
  const quiet = createListeners<number>();
  const lost = Promise.withResolvers<string>();
  const asked: PromiseWithResolvers<number>[] = [];
  const reasons: string[] = [];
  watchMedia({ lost: lost.promise, onQuiet: quiet.add }, {
    dialog: () => ({
      probe() {
        asked.push(Promise.withResolvers());
        return asked.at(-1)!.promise;
      },
    }),
    rtpTimeoutMs,
    onLost: (why) => reasons.push(why),
  });
  /** Reports of the engine, every 5 s, from one length of silence to another. */
  const beQuiet = async (fromS: number, toS: number, answer?: number) => {
    for (let s = fromS; s <= toS; s += 5) {
      const before = asked.length;
      quiet.call(s * 1_000);
      if (asked.length > before && answer !== undefined) asked.at(-1)!.resolve(answer);
      await Promise.resolve();
      await Promise.resolve();
    }
  };
  return { asked, reasons, beQuiet, lose: lost.resolve };
}

for (const status of [200, 405, 501, 486, 401, 500]) {
  Deno.test(`a silent phone that answers a probe with ${status} keeps its call for ever`, async () => {
    const { asked, reasons, beQuiet } = silentPhone();

    await beQuiet(25, 7_225, status);

    assert.deepEqual(reasons, []);
    assert.equal(asked.length, 1 + 7_200 / 25, "a probe each 25 s");
  });
}

Deno.test("a silent phone that does not answer SIP loses its call at the next report", async () => {
  const { asked, reasons, beQuiet } = silentPhone();

  await beQuiet(25, 55);
  assert.equal(asked.length, 1, "one probe at a time");
  asked[0]!.resolve(408);
  await Promise.resolve();
  await beQuiet(60, 65);

  assert.deepEqual(reasons, [
    "No audio (RTP or RTCP) came for 60 s, and the phone does not answer SIP",
  ]);
});

for (const status of [404, 410, 430, 502, 604]) {
  Deno.test(`a silent phone for which a proxy answers ${status} loses its call`, async () => {
    const { reasons, beQuiet } = silentPhone();

    await beQuiet(25, 35, status);

    assert.deepEqual(reasons, [
      "No audio (RTP or RTCP) came for 30 s, and the phone cannot be reached any more " +
      `(SIP status ${status})`,
    ]);
  });
}

Deno.test("a phone that restarted and answers 481 loses its call", async () => {
  const { reasons, beQuiet } = silentPhone();

  await beQuiet(25, 35, 481);

  assert.deepEqual(reasons, [
    "No audio (RTP or RTCP) came for 30 s, and the phone does not know the call any more",
  ]);
});

Deno.test("a phone that sends audio again before its probe times out keeps its call", async () => {
  const { asked, reasons, beQuiet } = silentPhone();

  await beQuiet(25, 50);
  asked[0]!.resolve(408);
  await Promise.resolve();
  await beQuiet(25, 30); // It had spoken, and is silent once more.
  assert.deepEqual([asked.length, reasons], [2, []]);
  asked[1]!.resolve(200);
  await beQuiet(35, 45);

  assert.deepEqual(reasons, []);
});

Deno.test("a phone that answers and stays silent loses its call after RTP_TIMEOUT_S", async () => {
  const { reasons, beQuiet } = silentPhone({ rtpTimeoutMs: 600_000 });

  await beQuiet(25, 595, 200);
  assert.deepEqual(reasons, []);
  await beQuiet(600, 620, 200);

  assert.deepEqual(reasons, ["No audio (RTP or RTCP) came for 600 s: RTP_TIMEOUT_S is 600"]);
});

Deno.test("a transport that fails loses the call without a probe", async () => {
  const { asked, reasons, lose } = silentPhone();

  lose("DTLS failed");
  await Promise.resolve();

  assert.deepEqual([asked.length, reasons], [0, ["DTLS failed"]]);
});
