import assert from "node:assert/strict";
import type { MediaPlaces } from "../../../../sip/media/transports/transports.ts";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import { keepMedia, type KeptMediaOptions } from "../../../../sip/media/worker/kept_media.ts";
import { startMediaWorker } from "../../../../sip/media/worker/media_worker.ts";

/** A Worker that answers each task with its name, and does something when a leg was asked for. */
const workerNamed = (name: string, onOpen = "") =>
  new URL(`data:text/javascript,${
    encodeURIComponent(`onmessage = ({ data }) => {
      for (const { type, task } of data) {
        if (task !== undefined) postMessage([{ type: "done", task, value: "${name}" }]);
        if (type === "open") { ${onOpen} }
      }
    };`)
  }`);

const hangingFor = (ms: number) =>
  `setTimeout(() => { for (const until = Date.now() + ${ms}; Date.now() < until;); }, 20)`;
const throwing = "setTimeout(() => { throw new Error('no more'); }, 20)";

/** Media whose Workers run these scripts, one after the other; an Error is one that cannot start. */
async function mediaOf(scripts: (URL | Error)[], more: Partial<KeptMediaOptions> = {}) {
  const lines: string[] = [];
  const freed: Promise<void>[] = [];
  const over = Promise.withResolvers<void>();
  let starts = 0;
  const media = await keepMedia({
    places: {} as MediaPlaces,
    log: (line) => lines.push(line),
    onStuck() {},
    onOver: over.resolve,
    start(options) {
      const script = scripts[starts++];
      if (script === undefined || script instanceof Error) return Promise.reject(script);
      const onEnd = (isFree: Promise<void>) => {
        freed.push(isFree);
        options.onEnd(isFree);
      };
      return startMediaWorker({ ...options, onEnd, script, checkMs: 20 });
    },
    ...more,
  });
  return { media, lines, freed, over: over.promise, starts: () => starts };
}

for (
  const [how, then] of [["hangs", hangingFor(6_000)], ["throws", throwing]] as const
) {
  Deno.test({
    name: `a Worker that ${how} loses its legs alone: the next one has those to come`,
    timeout: 60_000,
    async fn() {
      const { media, freed } = await mediaOf([workerNamed("one", then), workerNamed("two")]);
      const lost = await media.offer("rtp");
      assert.equal(lost.localSdp, "one");

      assert.match(await lost.lost, /the media Worker (hangs|ended)/);
      let isFree = false;
      void freed[0]!.then(() => isFree = true); // There is one.
      const next = await media.offer("rtp");

      assert.equal(next.localSdp, "two");
      assert.equal((await media.answer("an offer")).localSdp, "two");
      // One that threw is free in a moment, one that hangs not before it goes on.
      if (how === "hangs") assert.equal(isFree, false);
      await freed[0];
      await media.close();
    },
  });
}

Deno.test({
  name: "a Worker that cannot start at once, since its port is taken, is tried again",
  timeout: 60_000,
  async fn() {
    const taken = new Error("the port is in use");
    const { media, starts } = await mediaOf([
      workerNamed("one", throwing),
      taken,
      workerNamed("two"),
    ]);
    const lost = await media.offer("rtp");
    await lost.lost;

    assert.equal((await media.offer("rtp")).localSdp, "two");
    assert.equal(starts(), 3);
    await media.close();
  },
});

Deno.test({
  name: "Workers that end again and again end the process",
  timeout: 60_000,
  async fn() {
    const scripts = Array.from({ length: 10 }, (_, i) => workerNamed(String(i), throwing));
    const { media, over, starts } = await mediaOf(scripts);
    let isOver = false;
    void over.then(() => isOver = true);

    for (let i = 0; !isOver && i < 10; i++) {
      const leg = await media.offer("rtp").catch(() => undefined);
      await leg?.lost;
    }
    await over;

    assert.equal(starts(), mediaLimits.workerEnds + 1);
    await media.close();
  },
});

Deno.test({
  name: "a Worker that does not come back is told of, one that does is not",
  timeout: 60_000,
  async fn() {
    const limits = mediaLimits as { workerStuckMs: number };
    const before = limits.workerStuckMs;
    try {
      limits.workerStuckMs = 4_000;
      const back = await mediaOf([workerNamed("one", hangingFor(1_000)), workerNamed("two")], {
        onStuck: () => assert.fail("it came back"),
      });
      await (await back.media.offer("rtp")).lost;
      await back.freed[0];
      await back.media.close();

      limits.workerStuckMs = 100;
      const stuck = Promise.withResolvers<void>();
      const { media, freed } = await mediaOf([
        workerNamed("one", hangingFor(4_000)),
        workerNamed("two"),
      ], {
        onStuck: stuck.resolve,
      });
      await (await media.offer("rtp")).lost;
      await stuck.promise;
      assert.equal((await media.offer("rtp")).localSdp, "two");
      await freed[0];
      await media.close();
    } finally {
      limits.workerStuckMs = before;
    }
  },
});
