import assert from "node:assert/strict";
import { runtimeFlags } from "../../../core/start/programs.ts";
import { acceptedFlags } from "../../../core/start/v8_flags.ts";

Deno.test("acceptedFlags() gives the companion's flags where V8 knows all of them", async () => {
  assert.deepEqual(await acceptedFlags(runtimeFlags), runtimeFlags);
});

Deno.test("acceptedFlags() gives none where V8 does not know one", async () => {
  const [known] = runtimeFlags;
  assert.deepEqual(await acceptedFlags([`${known},--no-such-flag-of-v8`]), []);
});
