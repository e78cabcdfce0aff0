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
  return {
    get size() {
      return listeners.length;
    },
    add(listener) {
      const entry = { call: listener };
      listeners = [...listeners, entry];
      return () => {
        // It may be called back at this moment.
        entry.call = () => {};
        listeners = listeners.filter((each) => each !== entry);
      };
    },
    call(value) {
      for (const entry of listeners) entry.call(value);
    },
    clear() {
      listeners = [];
    },
  };
}
