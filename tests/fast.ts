/**
 * `deno task test:fast` runs the tests that stay in their process, for the loop while working. A
 * test file is one of them unless its imports reach a file that starts a process, a browser, native
 * code or a whole companion. Files in `left` and `slow` are none. They run without the permission
 * to start programs, so that one that tries fails.
 */
const root = new URL("../", import.meta.url);

/** Text by which a file starts a process or system. */
const starts =
  /\bDeno\.Command\b|\bchild_process\b|from "(playwright-core|node-datachannel)"|\bstartCompanion\b/;

/** Folders of tests with whole services, in which the fuzzer runs for its time, and of no tests. */
const left = ["bench", "e2e", "flows", "fuzz", "golden", "nat", "speech", "support"];

/**
 * Files that take seconds, or further permissions (`v8_flags` runs Deno),
 * without starting a process of the product.
 */
export const slow = [
  "tests/sip/media/server_socket/socket_workers_test.ts", // Its Workers hang: the process is its own.
  "tests/sip/stack/patches_test.ts", // It compares the library before and after it is patched.
  "tests/expressions_test.ts",
  "tests/core/machine/configuration/environment_test.ts",
  "tests/core/markup/markup_fuzz_test.ts",
  "tests/core/machine/net/http_server_test.ts",
  "tests/core/machine/start/v8_flags_test.ts",
  "tests/core/machine/adapters/s3_blobs_test.ts",
  "tests/kv/cache/counter_cache_test.ts",
  "tests/kv/lists/exact_test.ts",
  "tests/kv/kv_connect_test.ts",
  "tests/kv/migration/former_contract_test.ts",
  "tests/kv/lists/lists_of_a_moment_test.ts",
  "tests/kv/lists/pages_linear_test.ts",
  "tests/kv/lists/scans_of_a_moment_test.ts",
  "tests/kv/records/sorted_test.ts",
  "tests/kv/lists/totals_of_a_moment_test.ts",
  "tests/kv/lists/undated_test.ts",
  "tests/kv/lists/values_of_a_moment_test.ts",
  "tests/sip/media/rtp/hostile_stream_test.ts",
  "tests/sip/media/rtp/jitter_buffer_test.ts",
  "tests/sip/media/engine/live_sound_test.ts",
  "tests/sip/media/transports/plain_rtp_test.ts",
  "tests/sip/media/srtp/srtp_test.ts",
  "tests/sip/media/audio/tone_digits_test.ts",
  "tests/routes/every_parameter_test.ts",
  "tests/routes/fuzz_test.ts",
];

const permissions = [
  "--no-prompt",
  ...["env", "ffi", "net", "read", "write", "sys"].map((what) => `--allow-${what}`),
];

const imported = /\bfrom "(\.[^"]+\.ts)"|^import "(\.[^"]+\.ts)"/gm;

/** Returns whether a test file, or a test module that it imports, starts one of these. */
async function startsAnything(file: URL, seen = new Set<string>()): Promise<boolean> {
  if (seen.has(file.href)) return false;
  seen.add(file.href);
  const text = await Deno.readTextFile(file);
  if (starts.test(text)) return true;
  for (const [, from, bare] of text.matchAll(imported)) {
    const other = new URL((from ?? bare)!, file);
    const isOfTests = other.href.startsWith(`${root.href}tests/`);
    if (isOfTests && await startsAnything(other, seen)) return true;
  }
  return false;
}

async function* testFiles(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (!isDirectory && name.endsWith("_test.ts")) yield new URL(name, folder);
    else if (isDirectory && !left.includes(name)) yield* testFiles(new URL(`${name}/`, folder));
  }
}

/** The test files of `deno task test:fast`, by their paths in the repository. */
export async function fastFiles(): Promise<string[]> {
  const files = await Array.fromAsync(testFiles(new URL("tests/", root)));
  const areFast = await Promise.all(files.map(async (file) => !await startsAnything(file)));
  return files.filter((_, i) => areFast[i]).map(({ href }) => href.slice(root.href.length))
    .filter((file) => !slow.includes(file)).sort();
}

if (import.meta.main) {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "--config=tests/deno.json",
      "--no-check",
      "--parallel",
      ...permissions,
      ...Deno.args,
      ...await fastFiles(),
    ],
    cwd: root,
  }).spawn().status;
  Deno.exit(code);
}
