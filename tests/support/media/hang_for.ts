/** Hangs for the time that a message `{"hangMs": …}` says, and for none at any other. */
export function hangFor(text: string): void {
  const [, ms = 0] = /"hangMs":(\d{1,6})/.exec(text) ?? [];
  for (const until = performance.now() + Number(ms); performance.now() < until;);
}
