import assert from "node:assert/strict";

/** A disk of its own, which a test fills; it needs root. */
export interface SmallDisk extends AsyncDisposable {
  readonly directory: string;
  fill(): Promise<void>;
  free(): Promise<void>;
}

export async function smallDisk(megabytes = 24): Promise<SmallDisk> {
  const directory = await Deno.makeTempDir();
  await run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", directory);
  return {
    directory,
    async fill() {
      using file = await Deno.open(`${directory}/fill`, { create: true, append: true });
      const bytes = new Uint8Array(4_096);
      try {
        for (;;) await file.write(bytes);
      } catch (error) {
        assert.match(String(error), /No space left/);
      }
    },
    free: () => Deno.remove(`${directory}/fill`),
    async [Symbol.asyncDispose]() {
      await run("umount", directory);
      await Deno.remove(directory);
    },
  };
}

async function run(program: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}
