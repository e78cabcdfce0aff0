import { Hono } from "hono";

/**
 * The servers that `rest.ts` holds the service against, one in a process: `ceiling.ts KIND PORT`.
 * A ceiling does nothing but answer, so that the rest is what the service itself costs.
 */

type Answer = (request: Request) => Response | Promise<Response>;

const ceilings: Record<string, (store: string) => Answer | Promise<Answer>> = {
  deno: () => () => new Response("hello"),
  hono: () => new Hono().get("/", (c) => c.text("hello")).fetch,
  /** One `kv.get` of a value like a record for every request. */
  async kv(store) {
    const kv = await Deno.openKv(store);
    const key = [1n, "CA", new Uint8Array(16)];
    const text = "https://app.example.org/voice/handle";
    const fields = Array.from({ length: 32 }, (_, at) => [`field${at}`, at % 2 === 0 ? text : at]);
    await kv.set(key, Object.fromEntries(fields));
    return async () => Response.json((await kv.get(key)).versionstamp);
  },
};

const [kind = "", port = "", store = ""] = Deno.args;
const address = { hostname: "127.0.0.1", port: Number(port), onListen: () => {} };
Deno.serve(address, await ceilings[kind]!(store));
