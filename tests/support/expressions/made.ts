/** A regular expression that a module made of strings. */
export interface Made {
  /** As stack traces name it. */
  url: string;
  line: number;
  source: string;
  flags: string;
}

/** Notes each call of `RegExp` from now on, with its place; earlier calls are not seen. */
export function recordMade(): { made: Made[]; [Symbol.dispose](): void } {
  const made: Made[] = [];
  const original = RegExp;
  const note = (expression: RegExp): RegExp => {
    const places = new Error().stack!.matchAll(/\(?(file:\/\/[^\s()]+):(\d+):\d+\)?/g);
    const [, url = "", line = "0"] = [...places].find(([, url]) => url !== import.meta.url) ?? [];
    made.push({ url, line: Number(line), source: expression.source, flags: expression.flags });
    return expression;
  };
  globalThis.RegExp = new Proxy(original, {
    construct: (target, args, newTarget) => note(Reflect.construct(target, args, newTarget)),
    apply: (target, self, args) => note(Reflect.apply(target, self, args)),
  });
  return { made, [Symbol.dispose]: () => void (globalThis.RegExp = original) };
}
