import assert from "node:assert/strict";
import { LIBC_PATHS } from "../../../../core/base/libc_paths.ts";
import { readConfig } from "../../../../core/machine/configuration/config.ts";
import { companionHasFfi } from "../../../../core/machine/start/companion_ffi.ts";
import { programs } from "../../../../core/machine/start/programs.ts";

const configOf = (RTP_FFI?: string) =>
  readConfig((name) => name === "RTP_FFI" ? RTP_FFI : name === "DATA_DIR" ? "/data" : undefined);

const given = {};
const readable = (path: string) => path === "/data/secret_key";

Deno.test("auto gives the companion no C library beside the service, nor beside its key", () => {
  const has = (hasService: boolean, canRead: (path: string) => boolean, environment = given) =>
    companionHasFfi(configOf(), { hasService, given: environment, canRead });

  assert.equal(has(true, readable), false);
  assert.equal(has(true, () => false), false);
  assert.equal(has(false, readable), false);
  assert.equal(has(false, () => false, { SECRET_KEY: "k" }), false);
  assert.equal(has(false, () => false), true);
});

Deno.test("RTP_FFI decides where it is true or false", () => {
  for (const hasService of [true, false]) {
    const options = { hasService, given, canRead: readable };
    assert.equal(companionHasFfi(configOf("true"), options), true);
    assert.equal(companionHasFfi(configOf("false"), { ...options, canRead: () => false }), false);
  }
  assert.throws(() => configOf("yes"), /RTP_FFI/);
});

/** What a companion with these permissions can do with the library: run a program, or nothing. */
async function shellOf(hasFfi: boolean): Promise<string> {
  const script = `
    const found = [];
    for (const path of ${JSON.stringify(LIBC_PATHS)}) {
      try {
        const { symbols } = Deno.dlopen(path, { system: { parameters: ["buffer"], result: "i32" } });
        found.push(symbols.system(new TextEncoder().encode("exit 0\\0")) === 0 ? "shell" : "none");
      } catch (error) {
        if (error instanceof Deno.errors.NotCapable) found.push("denied");
      }
    }
    console.log([...new Set(found)].join());
  `;
  const file = await Deno.makeTempFile({ suffix: ".js" });
  try {
    await Deno.writeTextFile(file, script);
    const permissions = programs.sip.permissions(configOf(), { hasFfi });
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", "--no-config", ...permissions, file],
    }).output();
    return new TextDecoder().decode(stdout).trim();
  } finally {
    await Deno.remove(file);
  }
}

Deno.test({
  name: "code in the companion reaches no C library, unless RTP_FFI lets it",
  ignore: Deno.build.os !== "linux",
  timeout: 60_000,
  async fn() {
    assert.equal(await shellOf(false), "denied");
    assert.match(await shellOf(true), /shell/);
  },
});
