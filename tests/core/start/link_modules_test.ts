import assert from "node:assert/strict";
import { linkModules } from "../../../core/start/link_modules.ts";
import { softphoneFiles } from "../../../core/start/softphone_files.ts";

type Exports = Record<string, (...args: unknown[]) => unknown>;

/** What the one module made of these exports. */
async function linked(files: Record<string, string>, entries = ["a.js"]): Promise<Exports> {
  const text = await link(files, entries);
  return await import(`data:text/javascript,${encodeURIComponent(text)}`);
}

const link = (files: Record<string, string>, entries = ["a.js"]) =>
  linkModules(
    entries.map((name) => new URL(`file:///lib/${name}`)),
    ({ pathname }) => Promise.resolve(files[pathname.slice("/lib/".length)]!),
  );

Deno.test("linkModules() keeps names apart that two modules have", async () => {
  const { both } = await linked({
    "a.js": 'import { B } from "./b.js";\nimport { Kind as Other } from "./c.js";\n' +
      "class Kind {}\nexport const both = () => [new Kind().constructor === B, B === Other, Other.name];",
    "b.js": 'import { Kind } from "./c.js";\nexport const B = Kind;',
    "c.js": "export class Kind {}",
  });

  assert.deepEqual(both!(), [false, true, "Kind"]);
});

Deno.test("linkModules() lets one name become what another was", async () => {
  const { names } = await linked({
    "a.js": 'import { State as Inner } from "./b.js";\nimport { State } from "./c.js";\n' +
      "export const names = () => [Inner, State].join();",
    "b.js": 'export const State = "b";',
    "c.js": 'export const State = "c";',
  });

  assert.equal(names!(), "b,c");
});

Deno.test("linkModules() evaluates each module after what it imports, in cycles too", async () => {
  const { told } = await linked({
    "a.js": 'export * from "./b.js";\nimport { log } from "./log.js";\nlog.push("a");\n' +
      "export const told = () => log.join();",
    "b.js": 'import { C } from "./c.js";\nimport { log } from "./log.js";\nlog.push("b");\n' +
      "export class B extends C {}",
    "c.js": 'import { B } from "./b.js";\nimport { log } from "./log.js";\nlog.push("c");\n' +
      "export class C { other() { return B; } }",
    "log.js": "export const log = [];",
  });

  assert.equal(told!(), "c,b,a");
});

Deno.test("linkModules() makes objects of whole modules, and joins entries", async () => {
  const { one, two } = await linked({
    "a.js": 'import * as all from "./c.js";\nexport const one = () => all.x + all.y;',
    "b.js": "const x = 5;\nexport const two = () => x;",
    "c.js": 'export * from "./d.js";\nexport const x = 1;',
    "d.js": "/** A comment. */\nexport const y = 2;",
  }, ["a.js", "b.js"]);

  assert.deepEqual([one!(), two!()], [3, 5]);
});

Deno.test("linkModules() says what it cannot link", async () => {
  await assert.rejects(
    link({ "a.js": "export default 1;" }),
    /Cannot link file:.*: it says export default/,
  );
  await assert.rejects(
    link({ "a.js": 'import { no } from "./b.js";', "b.js": "export {};" }),
    /Cannot link file:\/\/\/lib\/b\.js: it has no "no"/,
  );
});

Deno.test("softphoneFiles() has sip.js in one module, with what the package itself exports", async () => {
  const files = await softphoneFiles();
  const { text, type } = files.get("sip.js")!;
  const file = await Deno.makeTempFile({ suffix: ".js" });
  await Deno.writeTextFile(file, text);
  const [module, real] = [await import(`file://${file}`), await import("sip.js")];
  await Deno.remove(file);

  assert.equal(type, "text/javascript; charset=utf-8");
  assert.equal(text.match(/^import\b/m), null);
  for (const name of ["UserAgent", "Registerer", "Inviter", "Invitation", "SessionState"]) {
    assert.ok(name in real && name in module, name);
  }
  assert.equal(module.UserAgent.makeURI("sip:bob@a.test;x=1").toString(), "sip:bob@a.test;x=1");
  assert.equal(typeof module.defaultSessionDescriptionHandlerFactory(), "function");
  assert.ok(files.has("index.html") && files.has("style.css") && files.has("main.js"));
});
