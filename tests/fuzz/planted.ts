import type { Target } from "./target.ts";

/** Targets that go wrong, each in another way, to see that it is found. */

const kept: Uint8Array[] = [];

const throwing: Target = {
  run(random) {
    if (random(100) === 7) throw new Error("a planted bug");
  },
};

const hanging: Target = {
  run(random) {
    for (const unlucky = random(100) === 7; unlucky;);
  },
};

/** As a bug in something that nothing waits for. */
const rejecting: Target = {
  async run(random) {
    if (random(100) === 7) void Promise.reject(new Error("a planted rejection"));
    await new Promise((resolve) => setTimeout(resolve));
  },
};

const keeping: Target = {
  run: () => void kept.push(new Uint8Array(1 << 20).fill(1)),
};

export const planted = { throwing, hanging, rejecting, keeping };

export type Planted = keyof typeof planted;
