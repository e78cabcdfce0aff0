import assert from "node:assert/strict";
import { softphoneFiles } from "../../../../core/machine/start/softphone_files.ts";

const root = new URL("../../../../", import.meta.url);

Deno.test("softphoneFiles() has sip.js in one module, with what the package itself exports", async () => {
  const files = await softphoneFiles();
  const { text, type } = files.get("sip.js")!;
  const module = await import("../../../../routes/softphone/sip.js");
  const real = await import("sip.js");

  assert.equal(type, "text/javascript; charset=utf-8");
  assert.equal(text.match(/^import\b/m), null);
  for (const name of ["UserAgent", "Registerer", "Inviter", "Invitation", "SessionState"]) {
    assert.ok(name in real && name in module, name);
  }
  assert.equal(module.UserAgent.makeURI("sip:bob@a.test;x=1").toString(), "sip:bob@a.test;x=1");
  assert.equal(typeof module.defaultSessionDescriptionHandlerFactory(), "function");
  assert.ok(files.has("index.html") && files.has("style.css") && files.has("main.js"));
});

Deno.test("routes/softphone/sip.js is what deno task softphone:library writes", async () => {
  const folder = await Deno.makeTempDir();
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  const [, bundle] = tasks["softphone:library"].split(" && deno ");
  const [written, output] = [`${folder}/sip.js`, "routes/softphone/sip.js"];
  const args = bundle.replace(output, written).split(" ");
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    env: { NO_COLOR: "1" },
  }).output();

  assert.ok(success, new TextDecoder().decode(stderr));
  assert.equal(
    await Deno.readTextFile(written),
    await Deno.readTextFile(new URL(output, root)),
    "The library has changed: run deno task softphone:library",
  );
  await Deno.remove(folder, { recursive: true });
});
