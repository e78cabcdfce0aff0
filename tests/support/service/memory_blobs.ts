import { Fault } from "../../../core/base/faults.ts";
import type { Blobs } from "../../../core/model/ports/providers.ts";

/** Blobs that live as long as the test. */
export function memoryBlobs(): Blobs {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    write(accountSid, sid, at, bytes) {
      const before = kept.get(accountSid + sid);
      if (before === undefined && at > 0) return Promise.reject(new Fault("notFound", sid));
      const after = new Uint8Array(Math.max(before?.length ?? 0, at + bytes.length));
      after.set(before ?? []);
      after.set(bytes, at);
      kept.set(accountSid + sid, after);
      return Promise.resolve();
    },
    size: (accountSid, sid) => Promise.resolve(kept.get(accountSid + sid)?.length ?? null),
    get(accountSid, sid, { start, end } = { start: 0, end: Infinity }) {
      const found = kept.get(accountSid + sid);
      return Promise.resolve(found ? new Response(found.slice(start, end)).body : null);
    },
    remove: (accountSid, sid) => Promise.resolve(void kept.delete(accountSid + sid)),
    settle: () => Promise.resolve(),
    link: () => Promise.resolve(null),
  };
}
