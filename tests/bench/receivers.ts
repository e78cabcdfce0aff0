/// <reference lib="deno.worker" />

/**
 * Customers' servers for `webhooks.ts`, in a thread of their own. They note how long ago the cause
 * of each request was (`At` in its form), and the first of them may hang.
 */

export type Order = Open | "collect" | "count";
export type Reply = { urls: string[] } | { delays: number[][] } | { counts: number[] };

interface Open {
  open: number;
  hangs: boolean;
}

/** Of this machine, in ms, the same in every thread. */
export const clock = () => performance.timeOrigin + performance.now();

let delays: number[][] = [];

function open({ open, hangs }: Open): string[] {
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

/** To count costs the thread that asks, which is measured, less than to collect. */
function replyTo(order: Order): Reply {
  if (order === "collect") return { delays };
  return order === "count" ? { counts: delays.map(({ length }) => length) } : { urls: open(order) };
}

if (typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope) {
  self.onmessage = ({ data }: MessageEvent<Order>) => {
    self.postMessage(replyTo(data));
  };
}
