import assert from "node:assert/strict";
import { eventually } from "../support/process/eventually.ts";
import { shutListener } from "../support/process/shut_listener.ts";
import { startSystem } from "../support/process/system.ts";

Deno.test({
  name: "a listener whose port is lost ends its process, and the supervisor starts it again",
  timeout: 180_000,
  async fn() {
    await using system = await startSystem();
    const portOf = (url: string) => Number(new URL(url).port);
    const listeners = [
      { script: "main.ts", port: portOf(system.baseUrl) },
      { script: "sip/main.ts", port: portOf(system.wsUrl) },
      { script: "core/machine/adapters/speech/main.ts", port: portOf(system.speechUrl) },
    ] as const;

    await Promise.all(listeners.map(async ({ script, port }) => {
      const [pid] = system.pids(script);
      shutListener(pid!, port);
      // The port is taken while the process tries to listen again.
      const taken = Deno.listen({ hostname: "127.0.0.1", port });
      const closing = closeAll(taken);
      await eventually(`${script} ended`, () => !system.pids(script).includes(pid!), 60_000);
      taken.close();
      await closing;
    }));

    await system.ready();
    const phone = await system.phone("alice");
    assert.equal((await phone.register()).status, 200);
    assert.match(system.output(), /Cannot accept connections; listening again/);
  },
});

/** Closes each connection that comes, until the listener is closed. */
async function closeAll(listener: Deno.Listener): Promise<void> {
  for await (const connection of listener) connection.close();
}
