import { storm } from "./storm.ts";

/**
 * `deno task soak:kills`: calls on one service and one companion with an embedded file, while both are
 * killed one after the other. CALLS is how many (default 300), KILLS how often (default 25).
 */

const [calls, kills] = [Deno.env.get("CALLS") ?? 300, Deno.env.get("KILLS") ?? 25].map(Number);
const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));

await storm({ url: "" }, { calls: calls!, kills: kills!, log }); // Both are there.
