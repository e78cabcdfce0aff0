import assert from "node:assert/strict";
import type { Fork, ForkEvents, ForkRefusal } from "../../../sip/contracts/fork.ts";
import { offerAgain } from "../../../sip/leg/offer_again.ts";

/** A fork of which the test says how the callee responds. */
function handFork(offer: string) {
  const told: string[] = [];
  let events: ForkEvents | undefined;
  const fork = {
    offer,
    media: { close: () => void told.push("closed") },
    over: false,
    send: (given: ForkEvents) => void (events = given),
    cancel: () => void told.push("cancelled"),
    forget: () => void told.push("forgotten"),
  } as unknown as Fork;
  const refuse = (status: number) => events?.onRefused({ status, headers: {}, retryAfterS: 0 });
  return { fork, told, refuse, isSent: () => events !== undefined };
}

const watching = () => {
  const refused: number[] = [];
  const onRefused = ({ status }: ForkRefusal) => void refused.push(status);
  return { refused, events: { onRefused } as unknown as ForkEvents };
};

const settled = () => new Promise((next) => setTimeout(next));

Deno.test("offerAgain() makes a second offer where the callee takes no media of the first, once", async () => {
  const [first, second] = [handFork("webrtc"), handFork("rtp")];
  const { refused, events } = watching();
  const fork = offerAgain(first.fork, () => Promise.resolve(second.fork));
  fork.send(events);

  first.refuse(488);
  assert.equal(fork.over, false);
  await settled();

  assert.deepEqual([fork.offer, second.isSent(), first.told, refused], [
    "rtp",
    true,
    ["closed"],
    [],
  ]);
  second.refuse(488);
  assert.deepEqual(refused, [488]);
});

Deno.test("offerAgain() hands on any other refusal, and the first one where there is no second offer", async () => {
  for (const status of [486, 488]) {
    const first = handFork("webrtc");
    const { refused, events } = watching();
    offerAgain(first.fork, () => Promise.reject(new Error("no port is free"))).send(events);
    first.refuse(status);
    await settled();
    assert.deepEqual([refused, first.told], [[status], []]);
  }
});

Deno.test("offerAgain() makes no second offer of a fork that is cancelled meanwhile, and frees its media", async () => {
  const [first, second] = [handFork("webrtc"), handFork("rtp")];
  const { refused, events } = watching();
  const fork = offerAgain(first.fork, () => Promise.resolve(second.fork));
  fork.send(events);

  first.refuse(488);
  fork.cancel();
  await settled();

  assert.deepEqual([refused, second.isSent(), second.told], [[487], false, ["closed"]]);
});
