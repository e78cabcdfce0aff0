import { type Trace, trace as schema } from "../../core/protocol/traces.ts";
import type { SipTraces } from "../../core/model/ports/ports.ts";
import { keys } from "../store/keys.ts";
import type { KeyValueStore } from "../store/key_value_store.ts";

/** A value of Deno KV has up to 64 KiB. */
const valueBytes = 60_000;

/** A trace as JSON in gzip, which takes a sixth of the bytes. */
interface Kept {
  /** In ms: Deno KV removes an expired entry some time later. */
  until: number;
  packed: Uint8Array<ArrayBuffer>;
}

export const sipTraces = (kv: KeyValueStore, now: () => number): SipTraces => ({
  async put({ accountSid, sid }, trace, keptMs) {
    const kept = { until: now() + keptMs, packed: await packed(trace) };
    await kv.set(keys.sipTrace(accountSid, sid), kept, { expireIn: keptMs });
  },
  async get({ accountSid, sid }) {
    const { value } = await kv.get<Kept>(keys.sipTrace(accountSid, sid));
    return value === null || value.until <= now() ? null : await unpacked(value.packed);
  },
  remove: ({ accountSid, sid }) => kv.delete(keys.sipTrace(accountSid, sid)),
});

/** The last messages that fit; text that is hard to compress may leave out the first ones. */
async function packed(trace: Trace): Promise<Kept["packed"]> {
  const stream = new Blob([JSON.stringify(trace)]).stream();
  const bytes = await new Response(stream.pipeThrough(new CompressionStream("gzip"))).bytes();
  if (bytes.length <= valueBytes) return bytes;
  const gone = Math.ceil(trace.messages.length / 2);
  return packed({ messages: trace.messages.slice(gone), dropped: trace.dropped + gone });
}

async function unpacked(bytes: Kept["packed"]): Promise<Trace> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return schema.parse(await new Response(stream).json());
}
