import { demoLogin } from "../../../core/trials/demo.ts";
import { eventually } from "./eventually.ts";
import { shared } from "./shared.ts";
import { type Json, startSystem, type System, type SystemOptions } from "./system.ts";

/**
 * A system that the tests of a file have one after the other: a start takes two seconds of a core. Each
 * test finds no Client but that of the first start, and no call that is not over.
 */
export function sharedSystem(
  options: SystemOptions = {},
): (body: (system: System) => Promise<void>) => Promise<void> {
  const withSystem = shared(() => startSystem(options));
  return (body) =>
    withSystem(async (system) => {
      await body(system);
      await clear(system);
    });
}

/** Ends the calls, and deletes the Clients that a test made. */
async function clear(system: System): Promise<void> {
  const live = async (): Promise<Json[]> => {
    const lists = await Promise.all(
      ["queued", "ringing", "in-progress"].map((status) =>
        system.get(`Calls.json?Status=${status}`)
      ),
    );
    return lists.flatMap(({ calls }) => calls);
  };
  for (const { sid } of await live()) {
    // One that has ended meanwhile is refused.
    await system.post(`Calls/${sid}.json`, { Status: "completed" }).catch(() => {});
  }
  await eventually("no call is left", async () => (await live()).length === 0);
  const clients: Json[] = await system.get("Clients.json");
  for (const { sid, login } of clients) {
    if (login !== demoLogin) await system.remove(`Clients/${sid}`);
  }
}
