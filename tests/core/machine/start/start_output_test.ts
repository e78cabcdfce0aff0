import assert from "node:assert/strict";
import { createStartOutput } from "../../../../core/machine/start/start_output.ts";
import { endOfStart } from "../../../../core/machine/process/process.ts";

/** Processes whose output the test writes; what was shown so far. */
function startLab(names: readonly string[]) {
  let shown = "";
  const output = createStartOutput(
    names,
    (bytes) => void (shown += new TextDecoder().decode(bytes)),
  );
  const start = (name: string) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const over = output.take(name, readable);
    return {
      say: (text: string) => writer.write(new TextEncoder().encode(text)),
      async end() {
        await writer.close();
        await over;
      },
    };
  };
  return { start, shown: () => shown, silence: output.silence };
}

Deno.test("createStartOutput() shows starts in the order of the names, whichever is first", async () => {
  const { start, shown } = startLab(["speech", "companion", "service"]);
  const [service, companion, speech] = ["service", "companion", "speech"].map(start);

  await service!.say("service\n" + endOfStart);
  await companion!.say("companion\n");
  await speech!.say("speech\n" + endOfStart);
  await companion!.say("listens\n" + endOfStart);
  for (const process of [service!, companion!, speech!]) await process.end();

  assert.equal(shown(), "speech\ncompanion\nlistens\nservice\n");
});

Deno.test("createStartOutput() waits for no process that ended, and shows a second start at once", async () => {
  const { start, shown } = startLab(["companion", "service"]);
  const [companion, service] = ["companion", "service"].map(start);

  await service!.say("service\n" + endOfStart);
  await companion!.end();
  await service!.end();
  const again = start("companion");
  await again.say("companion\n");
  await again.end();

  assert.equal(shown(), "service\ncompanion\n");
});

Deno.test("createStartOutput() shows nothing of the others once a start has failed", async () => {
  const { start, shown, silence } = startLab(["companion", "service"]);
  const [companion, service] = ["companion", "service"].map(start);

  await service!.say("REST interface: …\n" + endOfStart);
  silence();
  await companion!.end();
  await service!.end();

  assert.equal(shown(), "");
});
