import { Hono } from "hono";

/**
 * The servers that `rest.ts` and `shared.ts` hold the service against, one in a process: `ceiling.ts KIND PORT`.
 * A ceiling does nothing but answer, so that the rest is what the service itself costs.
 */

type Answer = (request: Request) => Response | Promise<Response>;

const text = "https://app.example.org/voice/handle";
/** A value like a record. */
const record = Object.fromEntries(
  Array.from({ length: 32 }, (_, at) => [`field${at}`, at % 2 === 0 ? text : at]),
);

const ceilings: Record<string, (store: string) => Answer | Promise<Answer>> = {
  deno: () => () => new Response("hello"),
  hono: () => new Hono().get("/", (c) => c.text("hello")).fetch,
  "kv-get": readOne,
  "kv-set": setOne,
};

/** One `kv.get` of a value like a record for every request. */
async function readOne(store: string): Promise<Answer> {
  const kv = await Deno.openKv(store);
  const key = [1n, "CA", new Uint8Array(16)];
  await kv.set(key, record);
  return async () => Response.json((await kv.get(key)).versionstamp);
}

/** One `kv.set` of such a value for every request, each of a key of its own. */
async function setOne(store: string): Promise<Answer> {
  const kv = await Deno.openKv(store);
  return async () => Response.json(await kv.set(["bench", crypto.randomUUID()], record));
}

const [kind = "", port = "", store = ""] = Deno.args;
const address = { hostname: "127.0.0.1", port: Number(port), onListen: () => {} };
Deno.serve(address, await ceilings[kind]!(store));
