import assert from "node:assert/strict";
import { createDigitReceiver } from "../../../../sip/media/rtp/telephone_event.ts";

interface Event {
  code: number;
  timestamp: number;
  duration?: number;
  end?: boolean;
  ssrc?: number;
  marker?: boolean;
  /** Its place in the row by default. */
  sequence?: number;
}

/** The digits reported for a row of packets. */
function digits(events: Event[]): string {
  let heard = "";
  const receive = createDigitReceiver((digit) => (heard += digit) !== "");
  events.forEach((event, i) => {
    const { code, timestamp, duration = 160, end = false, ssrc = 1, sequence = i } = event;
    receive({
      payloadType: 101,
      marker: event.marker ?? false,
      sequence,
      timestamp,
      ssrc,
      payload: Uint8Array.of(code, end ? 0x8a : 0x0a, duration >> 8, duration & 0xff),
    });
  });
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

/** A press of 100 ms, a packet each 20 ms, its last one thrice; timestamps rise by `rise` a packet. */
function press(
  code: number,
  timestamp: number,
  { rise = 0, shift = 0, flat = false } = {},
): Event[] {
  const packets = Array.from({ length: 8 }, (_, i): Event => ({
    code,
    timestamp: (timestamp + i * rise + (i >= 5 ? shift : 0)) >>> 0,
    duration: flat ? 0 : Math.min(i + 1, 5) * 160,
    end: i >= 5,
    marker: i === 0,
  }));
  return packets;
}

Deno.test("createDigitReceiver() takes another code on the same timestamp as another key", () => {
  const same = (codes: number[]) => codes.flatMap((code) => press(code, 800));
  assert.equal(digits(same([1, 2, 3])), "123");
  assert.equal(digits(same([1, 2, 1])), "121");
  assert.equal(digits(same([1, 1, 10])), "11*");
  // Packets of the first key that were overtaken by the second.
  const [first, second] = [press(1, 800), press(2, 800)].map((packets, i) =>
    packets.map((packet, at) => ({ ...packet, sequence: 8 * i + at }))
  ) as [Event[], Event[]];
  assert.equal(digits([...first.slice(0, 6), ...second.slice(0, 3), ...first.slice(6)]), "12");
});

for (const shift of [160, 800, 960, -160, -320]) {
  Deno.test(`createDigitReceiver() takes last packets ${shift} off as the press they end`, () => {
    const row = [...press(5, 800, { shift }), ...press(5, 2_400, { shift })];
    assert.equal(digits(row), "55");
  });
}

for (const rise of [160, 240, 400]) {
  for (const flat of [false, true]) {
    const durations = flat ? "no durations" : "durations";
    Deno.test(`createDigitReceiver() takes a press that rises by ${rise} with ${durations} as one`, () => {
      const at = (i: number) => 0xffff_f000 + i * 4_800;
      const row = [1, 1, 2].flatMap((code, i) => press(code, at(i), { rise, flat }));
      assert.equal(digits(row), "112");
    });
  }
}

Deno.test("createDigitReceiver() parts quick presses of one key, also without their last packets", () => {
  const quick = (packets: (press: Event[]) => Event[]) =>
    [0, 1, 2].flatMap((i) => packets(press(7, 800 + i * 1_120)));
  assert.equal(digits(quick((all) => all)), "777");
  assert.equal(digits(quick((all) => all.slice(0, 5))), "777");
  assert.equal(digits(quick((all) => all.slice(-1))), "777");
  assert.equal(digits(quick((all) => all.slice(0, 1))), "777");
});

Deno.test("createDigitReceiver() goes on where the clock of a source goes back", () => {
  assert.equal(digits([...press(1, 90_000), ...press(2, 800), ...press(2, 2_400)]), "122");
});
