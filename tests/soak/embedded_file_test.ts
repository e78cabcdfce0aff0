import { storm } from "./storm.ts";

/** The share of `deno task soak:kills` that each run of the tests has. */
Deno.test(
  "acknowledged calls on an embedded file end and are reported once while its processes are killed",
  {
    timeout: 300_000,
  },
  async () => {
    await storm({ url: "" }, { calls: 60, kills: 4, log: () => {} });
  },
);
