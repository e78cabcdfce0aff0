import assert from "node:assert/strict";
import { companionFlags } from "../../../core/start/programs.ts";
import { acceptedFlags } from "../../../core/start/v8_flags.ts";

Deno.test("acceptedFlags() gives the companion's flags where V8 knows all of them", async () => {
  assert.deepEqual(await acceptedFlags(companionFlags), companionFlags);
});

Deno.test("acceptedFlags() gives none where V8 does not know one", async () => {
  const [known] = companionFlags;
  assert.deepEqual(await acceptedFlags([`${known},--no-such-flag-of-v8`]), []);
});
