import { openStore } from "../../../kv/open_store.ts";
import { type App, startApp } from "../../support/service/app.ts";
import { contractOf } from "../../support/service/contract.ts";
import {
  type FormerStore,
  formerStores,
  unpackStore,
} from "../../support/service/former_stores.ts";

/** The migrated store of each version; each test works on a copy. */
const migrated = new Map<FormerStore, Promise<{ bytes: Uint8Array; secretKey: string }>>();

async function migrate(name: FormerStore): Promise<{ bytes: Uint8Array; secretKey: string }> {
  await using former = await unpackStore(name);
  const { location, secretKey } = former;
  const store = await openStore({ location, secretKey, now: () => Date.now() });
  await store.buildIndexes(new AbortController().signal);
  store.close();
  return { bytes: await Deno.readFile(location), secretKey };
}

/** The service on a copy of a migrated store. The root client has an account of its own there. */
async function startOn(name: FormerStore): Promise<App> {
  if (!migrated.has(name)) migrated.set(name, migrate(name));
  const { bytes, secretKey } = await migrated.get(name)!;
  const directory = await Deno.makeTempDir();
  const location = `${directory}/store.db`;
  await Deno.writeFile(location, bytes);
  const opened = await openStore({ location, secretKey, now: () => Date.now() });
  const app = await startApp({ opened });
  const close = app[Symbol.dispose];
  app[Symbol.dispose] = () => {
    close();
    Deno.removeSync(directory, { recursive: true });
  };
  return app;
}

for (const name of formerStores) contractOf(() => startOn(name), `a store of ${name}: `);
