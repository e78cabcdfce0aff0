/** Writes a line for operators, with fields beside it. */
export type Log = (line: string, fields?: Record<string, unknown>) => void;

/** A callback for the library that lets no exception escape into its state machines. */
export function guard<A extends unknown[]>(log: Log, callback: (...args: A) => void) {
  return (...args: A): void => {
    try {
      callback(...args);
    } catch (error) {
      log("Cannot handle a SIP event", { error: String(error) });
    }
  };
}
