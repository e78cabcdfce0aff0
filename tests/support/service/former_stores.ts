/**
 * The versions of the stored fixtures; `tests/fixtures/stores/README.md` says how they were made.
 */
export const formerStores = [
  "layout-1",
  "layout-2",
  "0.1.0",
  "0.2.0",
  "0.3.0",
  "layout-4",
  "layout-5",
] as const;

export type FormerStore = typeof formerStores[number];

/** The store of a former version in a file of its own, and what that version showed of it. */
export interface Unpacked extends AsyncDisposable {
  location: string;
  secretKey: string;
  /** The Sid of the root account. */
  root: string;
  /** The records that the lists showed as JSON, by account and path of the resource. */
  lists: Record<string, Record<string, Record<string, unknown>[]>>;
}

const folder = new URL("../../fixtures/stores/", import.meta.url);

/** Unpacks a store of a former version. */
export async function unpackStore(name: FormerStore): Promise<Unpacked> {
  const directory = await Deno.makeTempDir();
  const location = `${directory}/store.db`;
  const file = await Deno.create(location);
  await (await unzipped(`${name}.db.gz`)).pipeTo(file.writable);
  const shown = await new Response(await unzipped(`${name}.json.gz`)).json();
  return {
    location,
    ...shown,
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

async function unzipped(name: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const file = await Deno.open(new URL(name, folder));
  return file.readable.pipeThrough(new DecompressionStream("gzip"));
}
