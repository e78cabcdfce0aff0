import assert from "node:assert/strict";
import { runtimeFlags } from "../../../../core/machine/start/programs.ts";
import { acceptedFlags } from "../../../../core/machine/start/v8_flags.ts";

Deno.test("acceptedFlags() gives the flags of each process where V8 knows all of them", async () => {
  for (const flags of Object.values(runtimeFlags)) {
    assert.deepEqual(await acceptedFlags(flags), flags);
  }
});

Deno.test("acceptedFlags() gives none where V8 does not know one", async () => {
  const [known] = runtimeFlags.companion;
  assert.deepEqual(await acceptedFlags([`${known},--no-such-flag-of-v8`]), []);
});
