import assert from "node:assert/strict";
import { startSystem } from "../support/process/system.ts";

Deno.test({
  name: "changes of Clients are answered while the companion is stopped, on reused connections too",
  timeout: 120_000,
  async fn() {
    await using system = await startSystem({ env: { DEMO: "false" } });
    const [companion] = system.pids("sip/main.ts");
    const make = (Login: string) =>
      system.post("Clients.json", { Login, Password: `${Login}-secret` });
    // By a change, the service has a connection to the companion that it keeps.
    const alice = await make("alice");
    await system.post(`Clients/${alice.sid}.json`, { Status: "0" });
    Deno.kill(companion!, "SIGSTOP");
    try {
      for (const login of ["bob", "carol"]) assert.equal((await make(login)).login, login);
      for (const Status of ["1", "0", "1"]) {
        const changed = await system.post(`Clients/${alice.sid}.json`, { Status });
        assert.equal(changed.status, Status);
      }
      await system.remove(`Clients/${alice.sid}.json`);
      assert.deepEqual((await system.get("Clients.json")).length, 2);
    } finally {
      Deno.kill(companion!, "SIGCONT");
    }
    await system.phone("bob"); // It registers.
  },
});
