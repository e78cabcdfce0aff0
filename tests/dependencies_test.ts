import assert from "node:assert/strict";
import { espeakFolder } from "../core/machine/adapters/espeak_package/load_espeak.ts";
import { licencePage, lockedPackages } from "./support/service/licence_page.ts";

const root = new URL("../", import.meta.url);
const productFolders = ["", `${espeakFolder}/`];
const testsOnly = ["ajv", "jssip", "node-datachannel", "playwright-core", "smtp-server"];
const processes = [
  "main.ts",
  "sip/main.ts",
  "core/machine/start/start.ts",
  "core/machine/adapters/speech/main.ts",
  "kv/commands/backup.ts",
  "kv/commands/numbers.ts",
  "kv/commands/restore.ts",
];

const json = async (path: string) => JSON.parse(await Deno.readTextFile(new URL(path, root)));
const nameOf = (id: string) => id.slice(0, id.indexOf("@", 1));
const idsOf = async (folder: string) => (await lockedPackages(folder)).map(({ id }) => id);

/** The npm packages that a process loads as it starts, as NAME@VERSION. */
async function packagesOf(script: string): Promise<string[]> {
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", script],
    cwd: root,
    stderr: "inherit",
  }).output();
  assert.ok(success, script);
  const { modules } = JSON.parse(new TextDecoder().decode(stdout));
  const files: string[] = modules.map(({ specifier }: { specifier: string }) => specifier);
  const found = files.map((file) => /\/node_modules\/\.deno\/([^/]+)\//.exec(file)?.[1]);
  return [...new Set(found.filter((one) => one !== undefined))].map((id) => id.replace("+", "/"));
}

Deno.test("no lock of the product holds a package that only tests import", async () => {
  const [ofTests, ...ofProduct] = await Promise.all(["tests/", ...productFolders].map(idsOf));
  const names = ofProduct.flat().map(nameOf);

  for (const name of testsOnly) {
    assert.ok(!names.includes(name), `${name} is in a lock of the product`);
    assert.ok(ofTests!.map(nameOf).includes(name), `${name} is not in tests/deno.lock`);
  }
});

Deno.test("the processes load the packages of deno.json, and need all of them", async () => {
  const loaded = new Set((await Promise.all(processes.map(packagesOf))).flat());
  const { imports } = await json("deno.json");
  const pinned = new Set(
    Object.values<string>(imports).map((at) => /^npm:\/?(@?[^@]+@[^/]+)/.exec(at)![1]),
  );

  for (const id of await idsOf(`${espeakFolder}/`)) loaded.delete(id); // It may be there.
  assert.deepEqual([...loaded].sort(), [...pinned].sort());
});

Deno.test("deno task packages finds that nothing is missing after it ran", async () => {
  // It ran before the tests did; this holds how Deno lays out node_modules.
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "packages"],
    cwd: root,
    stderr: "inherit",
  }).output();

  assert.deepEqual([success, new TextDecoder().decode(stdout)], [true, ""]);
});

Deno.test("versions are exact, and those of the tests are those of the product", async () => {
  const { imports: ofTests, ...testsConfig } = await json("tests/deno.json");
  for (const folder of productFolders) {
    const { imports } = await json(`${folder}deno.json`);
    for (const [name, at] of Object.entries<string>(imports)) {
      assert.match(at, /^npm:\/?(@[^/]+\/)?[^@/]+@\d+\.\d+\.\d+(\/.*)?$/, name);
      assert.equal(ofTests[name], at, `${name} in tests/deno.json`);
    }
    const tested = new Map((await lockedPackages("tests/")).map((one) => [one.id, one.integrity]));
    for (const { id, integrity } of await lockedPackages(folder)) {
      assert.equal(tested.get(id), integrity, `${id} in tests/deno.lock`);
    }
  }
  const { compilerOptions, unstable } = await json("deno.json");
  assert.deepEqual(testsConfig.compilerOptions, compilerOptions);
  assert.deepEqual(testsConfig.unstable, unstable);
});

Deno.test("docs/licences.md has the licence of every package (GOLDEN=write puts them in)", async () => {
  const path = new URL("docs/licences.md", root);
  const text = await Deno.readTextFile(path);
  const page = await licencePage(text);
  if (Deno.env.get("GOLDEN") === "write") await Deno.writeTextFile(path, page);
  else assert.equal(text, page);
  for (const folder of productFolders) {
    for (const id of await idsOf(folder)) assert.ok(page.includes(`| ${nameOf(id)} |`), id);
  }
});
