import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";
import { placeCall, toldOf, wholeCall } from "../support/process/placed_call.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSteppedSystem, stepsSkipped } from "../support/process/stepped_system.ts";

/** Two services, each with a companion, on one store, while one of them is not well. */

const talk = "<Response><Pause length='600'/></Response>";

Deno.test({
  name: `on a shared store, steps of the clock of one service end no call of either${stepsSkipped}`,
  ignore: stepsSkipped !== "",
  timeout: 300_000,
  async fn() {
    await using app = startAppServer();
    app.pages.set("/voice", talk);
    await using store = startKvConnect();
    await using one = await startSteppedSystem({ name: "one", kvUrl: store.url });
    await using two = await startSteppedSystem({ name: "two", kvUrl: store.url });
    const phones = {
      anna: await one.phone("anna"),
      bert: await two.phone("bert"),
      carl: await one.phone("carl"),
      dora: await two.phone("dora"),
    };
    const lasting = [
      await placeCall(one, { app, phone: phones.anna, login: "anna" }),
      await placeCall(two, { app, phone: phones.bert, login: "bert" }),
    ];

    for (const aheadS of [20, 0, 3_600, -3_600, 0, 10_800, 0]) {
      await two.setClock(aheadS);
      // Each service places a call to the phone at the other's companion.
      const short = [
        await placeCall(two, { app, phone: phones.carl, login: "carl" }),
        await placeCall(one, { app, phone: phones.dora, login: "dora" }),
      ];
      for (const { sid } of lasting) {
        assert.equal((await one.get(`Calls/${sid}.json`)).status, "in-progress", `${aheadS} s`);
      }
      for (const { sid, dialog, begunAt } of short) {
        await dialog.bye();
        await eventually("all is told", () => toldOf(app, sid).length >= wholeCall.length);
        assert.deepEqual(toldOf(app, sid), wholeCall);
        const { duration } = await one.get(`Calls/${sid}.json`);
        const passedS = (performance.now() - begunAt) / 1_000;
        assert.ok(Number(duration) <= Math.ceil(passedS), `${duration} s of ${passedS}`);
      }
      for (const { baseUrl } of [one, two]) {
        assert.equal((await fetch(`${baseUrl}/ready`)).status, 200, `${aheadS} s`);
      }
    }

    for (const { sid, dialog } of lasting) {
      await dialog.bye();
      await eventually("all is told", () => toldOf(app, sid).length >= wholeCall.length);
      assert.deepEqual(toldOf(app, sid), wholeCall);
    }
    const { notifications } = await one.get("Notifications.json");
    assert.deepEqual(notifications.map((one: { message_text: string }) => one.message_text), []);
  },
});

Deno.test({
  name: `on a shared store, a service that stands for 17 s ends no call of either${stepsSkipped}`,
  ignore: stepsSkipped !== "",
  timeout: 240_000,
  async fn() {
    await using app = startAppServer();
    app.pages.set("/voice", talk);
    await using store = startKvConnect();
    await using one = await startSteppedSystem({ name: "one", kvUrl: store.url });
    await using two = await startSteppedSystem({ name: "two", kvUrl: store.url });
    const [anna, bert] = [await one.phone("anna"), await two.phone("bert")];
    const lasting = [
      await placeCall(one, { app, phone: anna, login: "anna" }),
      await placeCall(two, { app, phone: bert, login: "bert" }),
    ];
    const begunAt = performance.now();
    Deno.kill(two.pids.service, "SIGSTOP");
    try {
      await eventually("it has stood", () => performance.now() - begunAt > 17_000);
      for (const { sid } of lasting) {
        assert.equal((await one.get(`Calls/${sid}.json`)).status, "in-progress");
      }
    } finally {
      Deno.kill(two.pids.service, "SIGCONT");
    }
    await eventually(
      "it answers",
      async () => (await fetch(`${two.baseUrl}/ready`)).status === 200,
    );
    for (const { sid, dialog } of lasting) {
      assert.equal((await two.get(`Calls/${sid}.json`)).status, "in-progress");
      await dialog.bye();
      await eventually("all is told", () => toldOf(app, sid).length >= wholeCall.length);
      assert.deepEqual(toldOf(app, sid), wholeCall);
    }
  },
});
