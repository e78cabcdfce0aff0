import { startKvConnect } from "../support/service/kv_connect.ts";
import { storm } from "./storm.ts";

/** The share of `deno task soak:shared` that each run of the tests has. */
Deno.test("acknowledged calls end and are reported once while services and companions are killed", {
  timeout: 300_000,
}, async () => {
  await using store = startKvConnect();
  await storm(store, { calls: 60, kills: 4, log: () => {} });
});
