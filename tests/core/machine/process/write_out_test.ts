import assert from "node:assert/strict";

const log = new URL("../../../../core/machine/process/log.ts", import.meta.url).href;
const process = new URL("../../../../core/machine/process/process.ts", import.meta.url).href;

Deno.test("a process goes on whose log is on a full disk", async () => {
  const script = `
    import { log } from "${log}";
    import { say } from "${process}";
    log("a line"); say("another one"); Deno.exit(7);`;
  const directory = await Deno.makeTempDir();
  await Deno.writeTextFile(`${directory}/main.ts`, script);
  const deno = `"${Deno.execPath()}" run --no-config --allow-all "${directory}/main.ts"`;
  const { code } = await new Deno.Command("sh", {
    args: ["-c", `${deno} > /dev/full 2> /dev/full`],
  }).output();
  await Deno.remove(directory, { recursive: true });
  assert.equal(code, 7);
});
