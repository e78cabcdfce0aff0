import assert from "node:assert/strict";
import { openStore } from "../../../kv/open_store.ts";
import { eventually } from "../../support/process/eventually.ts";
import { pidsBelow, spawnTask } from "../../support/process/system.ts";
import { runTask } from "../../support/service/backup_lab.ts";
import { storeLab } from "../../support/service/store_lab.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";
import { type KvKey, KvU64 } from "../../../kv/store/key_value_store.ts";

const accountSid = "AC" + "1".repeat(32);
const secretKey = "the key of the first year";

/** A folder with the store, secrets and audio of a service, and space for others. */
interface Lab extends AsyncDisposable {
  folder: string;
  /** DATA_DIR of the service. */
  data: string;
  /** DATA_DIR of a restore; it does not exist yet. */
  target: string;
  file: string;
  /** A restored file, by its path in DATA_DIR. */
  backup(env?: Record<string, string>): ReturnType<typeof runTask>;
  restore(env?: Record<string, string>, ...options: string[]): ReturnType<typeof runTask>;
}

async function backupLab(more = 0): Promise<Lab> {
  const folder = await Deno.makeTempDir();
  const [data, target, file] = [`${folder}/data`, `${folder}/target`, `${folder}/saved`];
  await Deno.mkdir(`${data}/recordings/${accountSid}`, { recursive: true });
  const written = { mode: 0o600 };
  await Deno.writeTextFile(`${data}/secret_key`, secretKey, written);
  await Deno.writeTextFile(`${data}/bridge_secret`, "the secret of companions", written);
  {
    using lab = await storeLab(`${data}/switchboard.db`, secretKey);
    for (let n = 0; n < 40; n++) {
      const status = n % 3 === 0 ? "busy" : "completed";
      const record = lab.call({ from: `+1${n % 5}`, to: "+2", status, startTime: lab.clock.now });
      await lab.store.records.calls.insert({ record });
    }
  }
  {
    using kv = await openDenoKv(`${data}/switchboard.db`);
    await kv.set(["i", "k", "all kinds"], {
      bytes: new Uint8Array([1, 2, 3]),
      large: 2n ** 70n,
      date: new Date(1),
      none: undefined,
      map: new Map([["a", null]]),
    });
    await kv.set(["i", "k", "counter"], new KvU64(2n ** 63n));
    for (let n = 0; n < more; n += 500) {
      const op = kv.atomic();
      for (let at = n; at < n + 500; at++) op.set(["i", "n", `+${at}`], "number ".repeat(20));
      await op.commit();
    }
  }
  for (const [n, size] of [0, 1, 300_000].entries()) {
    const audio = crypto.getRandomValues(new Uint8Array(Math.min(size, 60_000)));
    const sid = `RE${String(n).repeat(32)}`;
    await Deno.writeFile(`${data}/recordings/${accountSid}/${sid}`, audio);
  }
  return {
    folder,
    data,
    target,
    file,
    backup: (env = {}) => runTask(["backup", file], { DATA_DIR: data, ...env }),
    restore: (env = {}, ...options) =>
      runTask(["restore", ...options, file], { DATA_DIR: target, ...env }),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

async function entriesOf(location: string): Promise<{ key: KvKey; value: unknown }[]> {
  using kv = await openDenoKv(location);
  const all = await Array.fromAsync(kv.list({ prefix: [] }));
  return all.map(({ key, value }) => ({ key, value }));
}

const storeIn = (folder: string) => `${folder}/switchboard.db`;
const isThere = (path: string) => Deno.stat(path).then(() => true, () => false);

/** Asserts that two data directories hold the same entries and audio. */
async function assertSame(one: string, other: string): Promise<void> {
  assert.deepEqual(await entriesOf(storeIn(other)), await entriesOf(storeIn(one)));
  const names = [...Deno.readDirSync(`${one}/recordings/${accountSid}`)].map(({ name }) => name);
  assert.equal(names.length, 3);
  for (const name of names) {
    const path = `recordings/${accountSid}/${name}`;
    assert.deepEqual(
      await Deno.readFile(`${other}/${path}`),
      await Deno.readFile(`${one}/${path}`),
    );
  }
}

Deno.test("a restored data directory has every entry, audio and secret, for its owner alone", async () => {
  await using lab = await backupLab();
  const saved = await lab.backup();
  const restored = await lab.restore();

  assert.equal(saved.code, 0, saved.output);
  assert.match(
    saved.output,
    /Saved .*switchboard\.db in .*: \d+ entries, 3 audio files, \d+ bytes/,
  );
  assert.match(saved.output, /It holds the secret_key of DATA_DIR/);
  assert.equal(restored.code, 0, restored.output);
  assert.match(restored.output, /Restored .*: \d+ entries, 3 audio files/);
  await assertSame(lab.data, lab.target);
  for (const name of ["secret_key", "bridge_secret"]) {
    const path = `${lab.target}/${name}`;
    assert.equal(await Deno.readTextFile(path), await Deno.readTextFile(`${lab.data}/${name}`));
  }
  const files = [
    lab.file,
    ...["secret_key", "bridge_secret", "switchboard.db"]
      .map((name) => `${lab.target}/${name}`),
  ];
  for (const path of files) assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600, path);
});

Deno.test("a backup of a running store leaves no copy, also after one that was killed", async () => {
  await using lab = await backupLab();
  await Deno.writeTextFile(`${lab.data}/switchboard.db.backup`, "what a killed backup left");
  await Deno.writeTextFile(`${lab.data}/switchboard.db.backup-wal`, "and its log");
  using _running = await storeLab(storeIn(lab.data), secretKey);
  const saved = await lab.backup();

  assert.equal(saved.code, 0, saved.output);
  const names = [...Deno.readDirSync(lab.data)].map(({ name }) => name);
  assert.deepEqual(names.filter((name) => /backup/.test(name)), ["switchboard.db.backup.lock"]);
  assert.deepEqual([...Deno.readDirSync(lab.folder)].map(({ name }) => name).sort(), [
    "data",
    "saved",
  ]);
});

Deno.test("a backup that is stopped by SIGTERM fails, and leaves neither file nor copy", async () => {
  await using lab = await backupLab(100_000);
  const backup = spawnTask(["backup", lab.file], { DATA_DIR: lab.data });
  await eventually("it writes", async () => {
    const { size } = await Deno.stat(`${lab.file}.partial`).catch(() => ({ size: 0 }));
    return size > 1 << 20;
  });
  for (const pid of pidsBelow(backup.child.pid, lab.file)) Deno.kill(pid, "SIGTERM");

  assert.equal(await backup.ended, 1);
  assert.match(backup.output(), /Stopped by SIGTERM/);
  assert.deepEqual([...Deno.readDirSync(lab.folder)].map(({ name }) => name), ["data"]);
  const names = [...Deno.readDirSync(lab.data)].map(({ name }) => name);
  assert.deepEqual(names.filter((name) => /backup/.test(name)), ["switchboard.db.backup.lock"]);
});

Deno.test("backup refuses a file that exists, a folder without a store, and a wrong command", async () => {
  await using lab = await backupLab();
  await Deno.writeTextFile(lab.file, "something else");
  const onto = await lab.backup();
  const empty = await runTask(["backup", `${lab.folder}/other`], {
    DATA_DIR: lab.target,
    SECRET_KEY: secretKey,
  });
  const lost = await runTask(["backup", `${lab.folder}/other`], { DATA_DIR: lab.target });
  const nothing = await runTask(["backup"], { DATA_DIR: lab.data });

  assert.equal(await Deno.readTextFile(lab.file), "something else");
  assert.deepEqual([onto.code, empty.code, lost.code, nothing.code], [1, 1, 1, 1]);
  assert.match(onto.output, /Cannot write .*saved: it exists; name another file/);
  assert.match(empty.output, /Cannot save the store: there is none at .*target\/switchboard\.db/);
  assert.match(lost.output, /Cannot find .*target\/secret_key: .*environment of the service/);
  assert.match(nothing.output, /the command is `deno task backup FILE`/);
  assert.equal(await isThere(lab.target), false);
});

Deno.test("restore refuses a store that is not empty or in use, and leaves it as it was", async () => {
  await using lab = await backupLab();
  assert.equal((await lab.backup()).code, 0);
  const before = await entriesOf(storeIn(lab.data));
  const full = await lab.restore({ DATA_DIR: lab.data });
  const again = await lab.restore({ DATA_DIR: lab.data }, "--again");
  const after = await entriesOf(storeIn(lab.data));
  using _running = await storeLab(storeIn(lab.data), secretKey);
  const used = await lab.restore({ DATA_DIR: lab.data });
  await Deno.mkdir(`${lab.target}/recordings/${accountSid}`, { recursive: true });
  await Deno.writeTextFile(`${lab.target}/recordings/${accountSid}/RE1`, "audio of another");
  const audio = await lab.restore();

  for (const refused of [full, again]) {
    assert.equal(refused.code, 1);
    assert.match(refused.output, /Cannot restore into .*: it is not empty; set DATA_DIR/);
  }
  assert.deepEqual(after, before);
  assert.equal(used.code, 1);
  assert.match(used.output, /is in use by another process/);
  assert.equal(audio.code, 1);
  assert.match(audio.output, /Cannot restore into .*recordings: it is not empty/);
  assert.equal(await isThere(`${lab.target}/secret_key`), false);
});

Deno.test("a backup that is cut off or damaged anywhere is refused before anything is written", async () => {
  await using lab = await backupLab();
  assert.equal((await lab.backup()).code, 0);
  const whole = await Deno.readFile(lab.file);
  const damaged = (at: number) => {
    const copy = whole.slice();
    copy[at]! ^= 1;
    return copy;
  };
  const middle = Math.floor(whole.length / 2);
  const cases: [Uint8Array, RegExp][] = [
    [whole.subarray(0, middle), /it is cut off at byte/],
    [whole.subarray(0, -1), /it is cut off at byte/],
    [new Uint8Array(), /it is no backup that this version reads/],
    [damaged(0), /it is no backup that this version reads/],
    [damaged(22), /it is damaged/], // A length.
    [damaged(60), /it is damaged/], // The description.
    [damaged(middle), /it is damaged/],
    [damaged(whole.length - 10), /it is damaged/],
    [new Uint8Array([...whole, 0]), /it is damaged/],
  ];
  for (const [bytes, expected] of cases) {
    await Deno.writeFile(lab.file, bytes);
    const { code, output } = await lab.restore();
    assert.equal(code, 1);
    assert.match(output, expected);
    assert.equal(await isThere(lab.target), false);
  }
});

Deno.test("a restore that was killed is noticed by the service and the next one, which --again ends", async () => {
  await using lab = await backupLab(100_000);
  assert.equal((await lab.backup()).code, 0);
  const killed = spawnTask(["restore", lab.file], { DATA_DIR: lab.target });
  await eventually("entries are written", async () => {
    const { size } = await Deno.stat(`${storeIn(lab.target)}-wal`).catch(() => ({ size: 0 }));
    return size > 1 << 20;
  });
  for (const pid of pidsBelow(killed.child.pid, lab.file)) {
    Deno.kill(pid, "SIGKILL");
  }
  assert.notEqual(await killed.ended, 0);

  const options = { location: storeIn(lab.target), secretKey, now: () => Date.now() };
  await assert.rejects(openStore(options), {
    message: "Cannot open the store: a restore into it is under way or was cut off. After a cut, " +
      "begin it again by deno task restore --again FILE",
  });
  const second = await lab.restore();
  assert.equal(second.code, 1);
  assert.match(second.output, /was cut off or is under way\. .* deno task restore --again /);
  const saved = await runTask(["backup", `${lab.folder}/other`], { DATA_DIR: lab.target });
  assert.match(saved.output, /Cannot save the store: a restore into it was cut off/);
  assert.equal(await isThere(`${lab.folder}/other`), false);

  const third = await lab.restore({}, "--again");
  assert.equal(third.code, 0, third.output);
  await assertSame(lab.data, lab.target);
  (await openStore(options)).close();
});

Deno.test("a SECRET_KEY of the environment is not in the backup, and must be the same", async () => {
  await using lab = await backupLab();
  await Deno.remove(`${lab.data}/secret_key`);
  const saved = await lab.backup({ SECRET_KEY: secretKey });
  const without = await lab.restore();
  const wrong = await lab.restore({ SECRET_KEY: "the key of the second year" });
  assert.equal(await isThere(lab.target), false);
  const changing = { SECRET_KEY: "the key of the second year", SECRET_KEY_OTHER: secretKey };
  const restored = await lab.restore(changing);

  assert.match(saved.output, /SECRET_KEY is not in it: keep the key, a restore needs it/);
  assert.equal(new TextDecoder().decode(await Deno.readFile(lab.file)).includes(secretKey), false);
  assert.equal(without.code, 1);
  assert.match(without.output, /SECRET_KEY is not in the backup; set it as it was then/);
  assert.equal(wrong.code, 1);
  assert.match(wrong.output, /SECRET_KEY is not the one that sealed the passwords in the backup/);
  assert.equal(restored.code, 0, restored.output);
  assert.equal(await isThere(`${lab.target}/secret_key`), false);
});

Deno.test("a backup names the bucket that keeps further audio, and so does its restore elsewhere", async () => {
  await using lab = await backupLab();
  const bucket = {
    S3_BUCKET: "audio",
    S3_ENDPOINT: "http://127.0.0.1:9",
    S3_ACCESS_KEY: "key",
    S3_SECRET_KEY: "secret",
  };
  const saved = await lab.backup(bucket);
  const elsewhere = await lab.restore();
  await Deno.remove(lab.target, { recursive: true });
  const same = await lab.restore(bucket);

  assert.match(
    saved.output,
    /Audio at http:\/\/127\.0\.0\.1:9\/audio\/ACCOUNT_SID\/RECORDING_SID\.wav is not in it/,
  );
  assert.match(elsewhere.output, /Further audio is in http:\/\/127\.0\.0\.1:9\/audio: set S3_/);
  assert.equal(same.code, 0, same.output);
  assert.doesNotMatch(same.output, /Further audio/);
});
