import assert from "node:assert/strict";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { eventually } from "../support/process/eventually.ts";
import {
  startSteppedSystem,
  type SteppedSystem,
  stepsSkipped,
} from "../support/process/stepped_system.ts";
import { placeCall, toldOf, wholeCall } from "../support/process/placed_call.ts";
import type { Softphone } from "../support/sip/softphone.ts";

const talk = (system: SteppedSystem, app: AppServer, phone: Softphone, login: string) =>
  placeCall(system, { app, phone, login });

Deno.test({
  name:
    `steps of the wall clock end no call, tell all once, and leave phones reachable${stepsSkipped}`,
  ignore: stepsSkipped !== "",
  timeout: 240_000,
  async fn() {
    await using app = startAppServer();
    app.pages.set("/voice", "<Response><Pause length='600'/></Response>");
    await using system = await startSteppedSystem();
    const [steady, other] = [await system.phone("steady"), await system.phone("other")];
    const lasting = await talk(system, app, steady, "steady");

    for (const aheadS of [20, 0, 3_600, 0, 10_800, 0]) {
      await system.setClock(aheadS);
      const { status } = await other.register();
      assert.equal(status, 200);
      const short = await talk(system, app, other, "other");
      assert.equal((await system.get(`Calls/${lasting.sid}.json`)).status, "in-progress");
      await short.dialog.bye();
      await eventually("all is told", () => toldOf(app, short.sid).length === wholeCall.length);
      const call = await system.get(`Calls/${short.sid}.json`);
      const passedS = (performance.now() - short.begunAt) / 1_000;
      assert.ok(Number(call.duration) <= Math.ceil(passedS), `${call.duration} s of ${passedS}`);
      assert.deepEqual(toldOf(app, short.sid), wholeCall);
      assert.equal((await fetch(`${system.baseUrl}/ready`)).status, 200);
    }

    await lasting.dialog.bye();
    await eventually("all is told", () => toldOf(app, lasting.sid).length === wholeCall.length);
    const { notifications } = await system.get("Notifications.json");
    assert.deepEqual(notifications.map((one: { message_text: string }) => one.message_text), []);
    const call = await system.get(`Calls/${lasting.sid}.json`);
    const passedS = (performance.now() - lasting.begunAt) / 1_000;
    assert.ok(Number(call.duration) <= Math.ceil(passedS), `${call.duration} s of ${passedS}`);
  },
});

Deno.test({
  name: `a companion that dies after a step back is found in the usual time${stepsSkipped}`,
  ignore: stepsSkipped !== "",
  timeout: 120_000,
  async fn() {
    await using app = startAppServer();
    app.pages.set("/voice", "<Response><Pause length='600'/></Response>");
    await using system = await startSteppedSystem();
    const { sid } = await talk(system, app, await system.phone("steady"), "steady");
    await system.setClock(-3_600);
    Deno.kill(system.pids.companion, "SIGKILL");
    assert.equal(
      (await app.asked("/events", (form) => form.CallStatus === "completed")).CallSid,
      sid,
    );
    assert.deepEqual(toldOf(app, sid), wholeCall);
  },
});

/** A service may stand for longer than a companion may be silent. */
const stops = { service: 17_000, companion: 10_000 };

for (const [name, ms] of Object.entries(stops) as ["service" | "companion", number][]) {
  Deno.test({
    name: `a ${name} that stands for ${ms / 1_000} s ends no call when it goes on${stepsSkipped}`,
    ignore: stepsSkipped !== "",
    timeout: 120_000,
    async fn() {
      await using app = startAppServer();
      app.pages.set("/voice", "<Response><Pause length='600'/></Response>");
      await using system = await startSteppedSystem();
      const lasting = await talk(system, app, await system.phone("steady"), "steady");
      const begunAt = performance.now();
      const pid = system.pids[name];
      Deno.kill(pid, "SIGSTOP");
      try {
        await eventually("it has stood", () => performance.now() - begunAt > ms);
      } finally {
        Deno.kill(pid, "SIGCONT");
      }
      const short = await talk(system, app, await system.phone("other"), "other");
      await short.dialog.bye();
      await eventually("all is told", () => toldOf(app, short.sid).length === wholeCall.length);
      assert.equal((await system.get(`Calls/${lasting.sid}.json`)).status, "in-progress");
      assert.deepEqual((await system.get("Notifications.json")).notifications, []);
      await lasting.dialog.bye();
      await eventually("all is told", () => toldOf(app, lasting.sid).length === wholeCall.length);
      assert.deepEqual(toldOf(app, lasting.sid), wholeCall);
    },
  });
}
