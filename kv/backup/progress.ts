/** Shows how far a backup or a restore is. */
export interface Progress {
  /** Of a step that is `done` of `total`; the total is null where it is unknown. */
  at(step: string, done: number, total: number | null): void;
  /** The step is complete. */
  over(): void;
}

const barWidth = 30;
/** Between two drawings of a bar, and between two lines of a step. */
const [drawnMs, lineMs] = [100, 5_000];

/** Shows progress on standard error. */
export const stderrProgress = (): Progress =>
  createProgress((text) => void Deno.stderr.writeSync(new TextEncoder().encode(text)), {
    isTerminal: Deno.stderr.isTerminal(),
    now: () => Date.now(),
  });

/** Draws a bar on a terminal; elsewhere writes a line now and then. */
export function createProgress(
  write: (text: string) => void,
  { isTerminal, now }: { isTerminal: boolean; now(): number },
): Progress {
  let shownAt = -Infinity;
  let last: [step: string, done: number, total: number | null] | undefined;
  let isPending = false;
  const show = () => {
    if (last === undefined) return;
    write(isTerminal ? `\r${barOf(...last)}\x1b[K` : `${lineOf(...last)}\n`);
    shownAt = now();
    isPending = false;
  };
  return {
    at(...state) {
      const isNew = state[0] !== last?.[0];
      last = state;
      isPending = true;
      if (isNew && !isTerminal) shownAt = now(); // A short step has its last line alone.
      if (now() - shownAt >= (isTerminal ? drawnMs : lineMs)) show();
    },
    over() {
      if (isPending) show();
      if (isTerminal && last !== undefined) write("\n");
      last = undefined;
    },
  };
}

const numbers = new Intl.NumberFormat("en-US");

const lineOf = (step: string, done: number, total: number | null): string =>
  `${step}: ${numbers.format(done)}${total === null ? "" : ` of ${numbers.format(total)}`}`;

function barOf(step: string, done: number, total: number | null): string {
  if (total === null) return lineOf(step, done, total);
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * barWidth);
  const bar = "#".repeat(filled).padEnd(barWidth, ".");
  return `[${bar}] ${String(Math.floor(share * 100)).padStart(3)}% ${step}`;
}
