import type { Page } from "playwright-core";
import type { Address } from "../../../sip/media/rtp/latch.ts";
import { bindDatagrams, type Datagrams } from "../../../sip/media/rtp/rtp_sockets.ts";

/** The path of a page's audio to the companion, which has no other one. */
export interface PageNetwork {
  /** Ends the present paths for good; connections negotiated from now on have others. */
  change(): void;
  /** No way works any more, nor will a new one. */
  cut(): void;
  close(): Promise<void>;
}

/** Puts relays between a page and each candidate of the companion, by `browser/in_page.js`. */
export async function relayAudio(page: Page): Promise<PageNetwork> {
  let ways = new Map<string, Promise<Way>>();
  const all: Promise<Way>[] = [];
  let isCut = false;
  await page.exposeFunction("relayedPort", async (address: string, port: number) => {
    const place = `${address} ${port}`;
    if (!ways.has(place)) {
      ways.set(place, openWay({ address, port }));
      all.push(ways.get(place)!);
    }
    const way = await ways.get(place)!;
    if (isCut) way.end();
    return way.port;
  });
  const change = () => {
    for (const way of ways.values()) void way.then(({ end }) => end());
    ways = new Map();
  };
  return {
    change,
    cut() {
      isCut = true;
      change();
    },
    async close() {
      await Promise.all(all.map(async (way) => await (await way).close()));
    },
  };
}

interface Way {
  port: number;
  end(): void;
  close(): Promise<void>;
}

/** Passes datagrams on to a candidate of the companion, from a socket for each of the page's. */
async function openWay(to: Address): Promise<Way> {
  const outer = await bindDatagrams(to.address, 0);
  const inner = new Map<number, Promise<Datagrams>>();
  let isOver = false;
  const openInner = async (from: Address) => {
    const socket = await bindDatagrams(to.address, 0);
    socket.onMessage = (bytes) => isOver || outer.send(bytes, from);
    return socket;
  };
  outer.onMessage = (bytes, from) => {
    if (isOver) return;
    if (!inner.has(from.port)) inner.set(from.port, openInner(from));
    const copy = bytes.slice();
    void inner.get(from.port)!.then((socket) => socket.send(copy, to));
  };
  return {
    port: outer.port,
    end: () => void (isOver = true),
    async close() {
      isOver = true;
      await Promise.all([
        outer.close(),
        ...[...inner.values()].map(async (s) => (await s).close()),
      ]);
    },
  };
}
