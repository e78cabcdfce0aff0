import assert from "node:assert/strict";
import { companionFlags, serviceFlags } from "../../../core/start/programs.ts";
import { acceptedFlags } from "../../../core/start/v8_flags.ts";

Deno.test("acceptedFlags() gives the flags of each process where V8 knows all of them", async () => {
  for (const flags of [serviceFlags, companionFlags]) {
    assert.deepEqual(await acceptedFlags(flags), flags);
  }
});

Deno.test("acceptedFlags() gives none where V8 does not know one", async () => {
  const [known] = companionFlags;
  assert.deepEqual(await acceptedFlags([`${known},--no-such-flag-of-v8`]), []);
});
