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
  let last = { text: "", step: "" };
  let isPending = false;
  const show = () => {
    write(isTerminal ? `\r${last.text}\x1b[K` : `${last.text}\n`);
    shownAt = now();
    isPending = false;
  };
  return {
    at(step, done, total) {
      const isNew = step !== last.step;
      last = { text: isTerminal ? barOf(step, done, total) : lineOf(step, done, total), step };
      isPending = true;
      if (isTerminal ? now() - shownAt >= drawnMs : !isNew && now() - shownAt >= lineMs) show();
      if (isNew && !isTerminal) shownAt = now();
    },
    over() {
      if (isPending) show();
      if (isTerminal && last.step !== "") write("\n");
      last = { text: "", step: "" };
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
