import { limits } from "../../core/base/limits.ts";

/** To be preloaded by a service: caches that WITHOUT names, separated by commas, hold nothing. */
const rooms: Record<string, keyof typeof limits> = {
  runs: "recentRunBytes",
  counters: "cachedCounters",
  records: "recentRecordBytes",
};
for (const name of (Deno.env.get("WITHOUT") ?? "").split(",")) {
  const limit = rooms[name];
  if (limit === undefined) throw new Error(`Cannot switch off ${name}: there is no such cache`);
  Object.assign(limits, { [limit]: 0 });
}
