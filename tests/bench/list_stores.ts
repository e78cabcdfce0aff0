import { withDefaults } from "../../core/model/resource.ts";
import type { Call } from "../../core/model/resources/calls.ts";
import { type Message, messages } from "../../core/model/resources/messages.ts";
import { dice, type StoreLab, storeLab } from "../support/service/store_lab.ts";

/** Stores for `bench:lists`, filled with calls and messages of 30 days. */
export const dayMs = 86_400_000;
export const begin = Date.UTC(2024, 0, 1);

export const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
export const roll = dice(7);
const outcomes = [..."completed ".repeat(7).trim().split(" "), "busy", "failed", "no-answer"];
const words =
  ("delivery timeout refused answer status callback document empty invalid closed reset " +
    "certificate expired host unknown redirect loop body limit verb nested retry later").split(" ");

export const callOf = (lab: StoreLab): Call =>
  lab.call({
    from: roll(10) < 3 ? "+15550000001" : `+1444${String(roll(1000)).padStart(7, "0")}`,
    to: `+1555${String(roll(200_000)).padStart(7, "0")}`,
    status: outcomes[roll(10)] as Call["status"],
    parentCallSid: roll(5) === 0 ? "CA" + roll(500_000).toString(16).padStart(32, "0") : null,
    startTime: lab.clock.now + 100,
    endTime: lab.clock.now + 60_000,
    duration: 59,
    url: "https://app.example.org/voice/handle?x=1",
    statusCallback: "https://app.example.org/status",
  });

const messageOf = (lab: StoreLab, body: string): Message => ({
  sid: lab.sid("SM"),
  accountSid: lab.accountSid,
  dateCreated: lab.clock.now,
  dateUpdated: lab.clock.now,
  ...withDefaults(messages, {
    from: `+1444${String(roll(1000)).padStart(7, "0")}`,
    to: `+1555${String(roll(200_000)).padStart(7, "0")}`,
    status: "sent",
  }),
  body,
} as Message);

const unbegun = (call: Call, isWaiting: boolean): Call =>
  isWaiting
    ? { ...call, status: "queued", startTime: null, endTime: null, duration: null }
    : { ...call, status: "failed", startTime: null };

function textOf(at: number): string {
  const length = 8 + roll(8);
  const text = Array.from({ length }, () => words[roll(words.length)]).join(" ");
  return at % 5_000 === 77 ? `${text} needle-${at}` : text;
}

const never = new AbortController().signal;

export interface Filled extends AsyncDisposable {
  lab: StoreLab;
  location: string;
  sids: string[];
}

/** Number of each kind of record, and the time over which they spread: 30 days unless given. */
export interface Filling {
  spanMs?: number;
  calls: number;
  texts: number;
  /** Every second call never went out; those of the newest tenth wait still. */
  isHalfUndated?: boolean;
}

/** Fills a store on disk through its own interface, many at once, so that commits are merged. */
export async function fill(filling: Filling): Promise<Filled> {
  const { texts, isHalfUndated = false, spanMs = 30 * dayMs } = filling;
  const count = Math.max(filling.calls, texts);
  const directory = await Deno.makeTempDir({ prefix: "bench-lists-" });
  const lab = await storeLab(`${directory}/store.db`);
  const { records } = lab.store;
  const sids: string[] = [];
  const startedAt = performance.now();
  for (let at = 0; at < count; at += 500) {
    const writes: Promise<unknown>[] = [];
    for (let one = at; one < Math.min(at + 500, count); one++) {
      lab.clock.now = begin + Math.floor(one * spanMs / count);
      if (one < filling.calls) {
        const call = isHalfUndated && one % 2 > 0
          ? unbegun(callOf(lab), one > 0.9 * count)
          : callOf(lab);
        sids.push(call.sid);
        writes.push(records.calls.insert({ record: call }));
      }
      if (one >= texts) continue;
      writes.push(records.messages.insert({ record: messageOf(lab, textOf(one)) }));
    }
    await Promise.all(writes);
    if (at % 100_000 === 0 && at > 0) log(`  ${at} of ${count} calls and messages`);
  }
  const filledS = (performance.now() - startedAt) / 1000;
  await lab.store.buildIndexes(never);
  const countedS = (performance.now() - startedAt) / 1000 - filledS;
  lab.clock.now += dayMs;
  const packedAt = performance.now();
  await records.messages.packTexts(lab.accountSid, never);
  const packedS = (performance.now() - packedAt) / 1000;
  const { size } = await Deno.stat(`${directory}/store.db`);
  log(
    `filled ${filling.calls} calls and ${texts} messages ` +
      `in ${filledS.toFixed(0)} s, counted full buckets ${
        countedS.toFixed(1)
      } s longer, packed their texts in ${packedS.toFixed(1)} s, ${(size / 1e6).toFixed(0)} MB`,
  );
  const remove = () => Deno.remove(directory, { recursive: true });
  return {
    lab,
    location: `${directory}/store.db`,
    sids,
    async [Symbol.asyncDispose]() {
      try {
        lab[Symbol.dispose]();
      } catch {
        // It was closed before.
      }
      await remove();
    },
  };
}
