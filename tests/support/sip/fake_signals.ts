/** Time-outs of signals that happen when the test says so. */
export interface FakeSignals {
  /** Lets the time-outs of so many ms happen now. */
  expire(ms: number): void;
  [Symbol.dispose](): void;
}

/** Takes `AbortSignal.timeout` over. */
export function fakeSignals(): FakeSignals {
  const real = AbortSignal.timeout;
  const waiting: { ms: number; aborting: AbortController }[] = [];
  AbortSignal.timeout = (ms) => {
    const aborting = new AbortController();
    waiting.push({ ms, aborting });
    return aborting.signal;
  };
  return {
    expire(ms) {
      const error = new DOMException("Signal timed out.", "TimeoutError");
      waiting.filter((one) => one.ms === ms).forEach(({ aborting }) => aborting.abort(error));
    },
    [Symbol.dispose]: () => void (AbortSignal.timeout = real),
  };
}
