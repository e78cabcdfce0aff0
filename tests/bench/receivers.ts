/// <reference lib="deno.worker" />

/**
 * Customers' servers for `webhooks.ts`, in a thread of their own: they note how long ago the cause of
 * each request was (`At` in its form), and the first of them may hang.
 */

export type Order = { open: number; hangs: boolean } | "collect";
export type Reply = { urls: string[] } | { delays: number[][] };

/** Of this machine, in ms, the same in every thread. */
export const clock = () => performance.timeOrigin + performance.now();

let delays: number[][] = [];

function open({ open, hangs }: Exclude<Order, "collect">): string[] {
  delays = Array.from({ length: open }, () => []);
  return delays.map((own, number) => {
    const { addr } = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        const form = new URLSearchParams(await request.text());
        own.push(clock() - Number(form.get("At")));
        if (hangs && number === 0) await new Promise(() => {});
        return new Response();
      },
    );
    return `http://127.0.0.1:${addr.port}/`;
  });
}

if (typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope) {
  self.onmessage = ({ data }: MessageEvent<Order>) => {
    const reply: Reply = data === "collect" ? { delays } : { urls: open(data) };
    self.postMessage(reply);
  };
}
