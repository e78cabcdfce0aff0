import { type AwakeClock, type Clocks, createAwakeClock, steadyNow } from "../base/steady_clock.ts";

/** The clocks of the machine. */
export const systemClocks: Clocks = { now: () => Date.now(), steadyNow };

/** The awake clock of this process. Its timer does not keep the process alive. */
export const startAwakeClock = (): AwakeClock =>
  createAwakeClock(steadyNow, (ms, look) => {
    const timer = setInterval(look, ms);
    Deno.unrefTimer(timer);
    return () => clearInterval(timer);
  });
