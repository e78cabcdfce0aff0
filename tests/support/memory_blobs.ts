import type { Blobs } from "../../core/providers.ts";

/** Blobs that live as long as the test. */
export function memoryBlobs(): Blobs {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    put: (accountSid, sid, content) => Promise.resolve(void kept.set(accountSid + sid, content)),
    get(accountSid, sid) {
      const found = kept.get(accountSid + sid);
      if (found === undefined) return Promise.resolve(null);
      return Promise.resolve({ size: found.length, content: new Response(found).body! });
    },
    remove: (accountSid, sid) => Promise.resolve(void kept.delete(accountSid + sid)),
  };
}
