import assert from "node:assert/strict";
import { createDigitReceiver } from "../../../../sip/media/rtp/telephone_event.ts";

interface Event {
  code: number;
  timestamp: number;
  duration?: number;
  end?: boolean;
  ssrc?: number;
}

/** The digits reported for a row of packets. */
function digits(events: Event[]): string {
  let heard = "";
  const receive = createDigitReceiver((digit) => heard += digit);
  events.forEach(({ code, timestamp, duration = 160, end = false, ssrc = 1 }, sequence) =>
    receive({
      payloadType: 101,
      marker: false,
      sequence,
      timestamp,
      ssrc,
      payload: Uint8Array.of(code, end ? 0x8a : 0x0a, duration >> 8, duration & 0xff),
    })
  );
  return heard;
}

Deno.test("createDigitReceiver() reports a press once, whichever of its packets arrive", () => {
  const start = { code: 5, timestamp: 800 };
  const end = { code: 5, timestamp: 800, end: true };
  assert.equal(digits([start, start, start, end, end, end]), "5");
  assert.equal(digits([start]), "5");
  assert.equal(digits([end, end]), "5");
  assert.equal(digits([end, start]), "5");
});

Deno.test("createDigitReceiver() reports the same digit again when it is pressed again", () => {
  const press = (timestamp: number) => [
    { code: 11, timestamp },
    { code: 11, timestamp, end: true },
  ];
  assert.equal(digits([...press(800), ...press(2_400)]), "##");
  assert.equal(digits([...press(0xffff_ff00), ...press(0x300)]), "##");
});

Deno.test("createDigitReceiver() ignores late packets of an earlier press", () => {
  assert.equal(
    digits([{ code: 1, timestamp: 800 }, { code: 2, timestamp: 2_400 }, {
      code: 1,
      timestamp: 800,
      end: true,
    }]),
    "12",
  );
});

Deno.test("createDigitReceiver() takes the segments of a long press as one", () => {
  assert.equal(
    digits([
      { code: 9, timestamp: 800, duration: 0xffff },
      { code: 9, timestamp: 800 + 0xffff, duration: 160 },
      { code: 9, timestamp: 800 + 0xffff, duration: 320, end: true },
    ]),
    "9",
  );
});

Deno.test("createDigitReceiver() starts afresh when the source changes", () => {
  assert.equal(
    digits([{ code: 1, timestamp: 90_000 }, { code: 2, timestamp: 800, ssrc: 2 }]),
    "12",
  );
});

Deno.test("createDigitReceiver() knows all sixteen digits and nothing else", () => {
  const presses = Array.from({ length: 20 }, (_, code) => ({ code, timestamp: code * 1_600 }));
  assert.equal(digits(presses), "0123456789*#ABCD");
});
