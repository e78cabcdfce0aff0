/** Callbacks for values. A callback added twice is called twice. */
export interface Listeners<T> {
  readonly size: number;
  /** The result removes the callback. */
  add(listener: (value: T) => void): () => void;
  call(value: T): void;
  clear(): void;
}

export function createListeners<T>(): Listeners<T> {
  let listeners: { call(value: T): void }[] = [];
  const change = (changed: typeof listeners): void => {
    listeners = changed;
    all.size = listeners.length;
  };
  // No getter: each call has some of these, and literals with getters outlive it.
  const all = {
    size: 0,
    add(listener: (value: T) => void) {
      const entry = { call: listener };
      change([...listeners, entry]);
      return () => {
        // It may be called back at this moment.
        entry.call = () => {};
        change(listeners.filter((each) => each !== entry));
      };
    },
    call(value: T) {
      for (const entry of listeners) entry.call(value);
    },
    clear: () => change([]),
  };
  return all;
}
