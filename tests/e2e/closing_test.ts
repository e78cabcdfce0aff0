import assert from "node:assert/strict";
import { eventually } from "../support/process/eventually.ts";
import { startSystem } from "../support/process/system.ts";

const applications = 800;

Deno.test("a closed account loses its resources also when the service is killed meanwhile", async () => {
  await using system = await startSystem();
  const wanted = { EmailAddress: "child@example.com", Password: "child password" };
  const { sid } = await system.post("../../Accounts.json", wanted);
  const list = `../${sid}/Applications.json`;
  for (let made = 0; made < applications; made += 50) {
    const forms = Array.from({ length: 50 }, (_, n) => ({ FriendlyName: `ivr ${made + n}` }));
    await Promise.all(forms.map((form) => system.post(list, form)));
  }
  const left = async (): Promise<number> => (await system.get(`${list}?PageSize=1000`)).length;
  assert.equal(await left(), applications);

  await system.post(`../${sid}.json`, { Status: "closed" });
  const [pid] = system.pids("main.ts") as [number];
  Deno.kill(pid, "SIGKILL");
  await eventually("another service runs", () => {
    const [now] = system.pids("main.ts");
    return now !== undefined && now !== pid;
  });
  await system.ready();

  await eventually("everything is deleted", async () => await left() === 0);
  assert.equal((await system.get(`../${sid}.json`)).status, "closed");
});
