import assert from "node:assert/strict";
import { backUp } from "../../../kv/backup/back_up.ts";
import { kinds, readFrames, textIn } from "../../../kv/backup/frames.ts";
import type { Snapshot } from "../../../kv/backup/snapshot.ts";
import { keys } from "../../../kv/store/keys.ts";

const account = "AC" + "1".repeat(32);

Deno.test("audio is saved after the store: it has files written meanwhile, and none deleted meanwhile", async () => {
  const folder = await Deno.makeTempDir();
  const [audio, path] = [`${folder}/recordings`, `${folder}/saved`];
  await Deno.mkdir(`${audio}/${account}`, { recursive: true });
  await Deno.writeTextFile(`${audio}/${account}/RE1`, "kept");
  await Deno.writeTextFile(`${audio}/${account}/RE2`, "deleted while the store is read");
  const snapshot: Snapshot = {
    total: 1,
    async *entries() {
      await Deno.writeTextFile(`${audio}/${account}/RE3`, "written while the store is read");
      await Deno.remove(`${audio}/${account}/RE2`);
      yield { key: keys.version, value: 4 };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const { files } = await backUp({
    path,
    description: {
      begunAt: 0,
      version: "0",
      store: "file",
      secretKey: null,
      sealed: [],
      bridgeSecret: null,
      bucket: null,
    },
    snapshot: () => Promise.resolve(snapshot),
    audio,
    progress: { at: () => {}, over: () => {} },
    signal: new AbortController().signal,
  });
  const frames = await Array.fromAsync(readFrames(path));
  const saved = frames.filter(({ kind }) => kind === kinds.file).map(textIn);
  await Deno.remove(folder, { recursive: true });

  assert.equal(files, 2);
  assert.deepEqual(saved.sort(), [`${account}/RE1`, `${account}/RE3`]);
});
