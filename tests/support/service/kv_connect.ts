import { kvEntries } from "./kv_entries.ts";

/** A KV Connect endpoint in memory, for stores that several instances share. */
export interface KvConnect extends AsyncDisposable {
  readonly url: string;
  /**
   * Number of the next writes that are made, but answered with 503: the client sends them again.
   */
  lostAnswers: number;
  /**
   * The requests so far, and the bytes of their bodies and those of the responses. Requests that
   * depend on the moment do not count. These keep the connection prompt (`prompt_wire.ts`), or look
   * at the description of the store, every 2 s (`schema_fence.ts`).
   */
  readonly traffic: { reads: number; commits: number; bytes: number };
  /** Holds the next write: `taken` when it is there, to be made by `letGo`. */
  holdWrite(): { taken: Promise<void>; letGo(): void };
  /** Makes the first write that holds a text, and answers it never: `made` when it is in the store. */
  loseWrite(text: string): { made: Promise<void> };
  /** Runs before each read is answered, of at most so many entries in one range. */
  beforeRead: (atMost: number) => Promise<void>;
  /** Acts as a stopped process: requests are performed and answered once `goOn` is called. */
  stand(): { goOn(): void };
  /** From now on requests are taken and never answered. */
  fallSilent(): void;
}

const accessToken = "DENO_KV_ACCESS_TOKEN";

/** Starts an endpoint on a free port, and lets this process into it. */
export function startKvConnect(): KvConnect {
  const entries = kvEntries();
  const ended = Promise.withResolvers<Response>();
  const traffic = { reads: 0, commits: 0, bytes: 0 };
  let isSilent = false;
  let standing: Promise<void> | undefined;
  let hold: (() => Promise<void>) | undefined;
  let lost: { text: string; made(): void } | undefined;

  async function answer(request: Request): Promise<Response> {
    if (isSilent) return await ended.promise;
    await standing;
    const { pathname } = new URL(request.url);
    const body = await request.bytes();
    switch (pathname) {
      case "/":
        return Response.json(metadata);
      case "/v2/snapshot_read":
        if (readsAlone(body, nothing)) return new Response(entries.read(body));
        await self.beforeRead(entries.mostOf(body));
        if (readsAlone(body, version)) return new Response(entries.read(body));
        traffic.reads++;
        return counted(body, entries.read(body));
      case "/v2/atomic_write": {
        const held = hold;
        hold = undefined;
        await held?.();
        const written = entries.write(body);
        traffic.commits++;
        if (lost !== undefined && new TextDecoder("latin1").decode(body).includes(lost.text)) {
          lost.made();
          lost = undefined;
          return await ended.promise;
        }
        const response = counted(body, written);
        return self.lostAnswers-- > 0 ? new Response(null, { status: 503 }) : response;
      }
      case "/v2/watch":
        return new Response(watched(body));
      default:
        return new Response(null, { status: 404 });
    }
  }

  function counted(asked: Uint8Array, answered: Uint8Array<ArrayBuffer>): Response {
    traffic.bytes += asked.length + answered.length;
    return new Response(answered);
  }

  /** The states of a watch, each after its length, whenever it may have changed. */
  function watched(request: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
    let stop = () => {};
    return new ReadableStream({
      start(controller) {
        const send = () => {
          const state = watch.state();
          const frame = new Uint8Array(4 + state.length);
          new DataView(frame.buffer).setUint32(0, state.length, true);
          frame.set(state, 4);
          controller.enqueue(frame);
        };
        const watch = entries.watch(request, send);
        stop = watch.stop;
        send();
        ended.promise.then(() => controller.close()).catch(() => {}); // Or it was canceled.
      },
      cancel: () => stop(),
    });
  }

  Deno.env.set(accessToken, "test"); // It stays: files of tests that run at once share it.
  const stopping = new AbortController();
  const server = Deno.serve({
    signal: stopping.signal,
    hostname: "127.0.0.1",
    port: 0,
    onListen() {},
    onError: (error) => new Response(String(error), { status: 400 }),
  }, answer);
  const self: KvConnect = {
    url: `http://127.0.0.1:${server.addr.port}`,
    lostAnswers: 0,
    traffic,
    beforeRead: async () => {},
    holdWrite() {
      const [taken, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      hold = () => {
        taken.resolve();
        return gone.promise;
      };
      return { taken: taken.promise, letGo: gone.resolve };
    },
    loseWrite(text) {
      const { promise: made, resolve } = Promise.withResolvers<void>();
      lost = { text, made: resolve };
      return { made };
    },
    stand() {
      const { promise, resolve } = Promise.withResolvers<void>();
      standing = promise;
      return { goOn: resolve };
    },
    fallSilent: () => void (isSilent = true),
    async [Symbol.asyncDispose]() {
      ended.resolve(new Response(null, { status: 503 }));
      stopping.abort(); // At once: a client that was never answered keeps its connection open.
      await server.finished;
    },
  };
  return self;
}

/** Keys of reads that are not counted, as KV encodes them: `keys.nothing` and `keys.version`. */
const [nothing, version] = ["022d00", "027600"];

/** Returns whether it reads this key and no other. */
const readsAlone = (body: Uint8Array, key: string): boolean =>
  body.length < 40 && body.toHex().includes(key);

const metadata = {
  version: 3,
  databaseId: "00000000-0000-0000-0000-000000000000",
  endpoints: [{ url: "/v2", consistency: "strong" }],
  token: "test",
  expiresAt: "2100-01-01T00:00:00Z",
};
