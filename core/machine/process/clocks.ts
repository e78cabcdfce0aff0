import {
  type AwakeClock,
  type Clocks,
  startAwakeClock,
  steadyNow,
} from "../../base/steady_clock.ts";

/** The clocks of the machine. */
export const systemClocks: Clocks = { now: () => Date.now(), steadyNow };

/** Starts the awake clock of this process. Its timer does not keep the process alive. */
export const stayAwake = (): AwakeClock =>
  startAwakeClock((ms, look) => {
    const timer = setInterval(look, ms);
    Deno.unrefTimer(timer);
    return () => clearInterval(timer);
  });
