/** Time that one piece of long work may keep the loop, in ms. */
const pieceMs = 5;

/**
 * Cuts long work into pieces, so that others have their turn between them. The result is called often
 * within the work: it gives a promise to wait for when a piece has taken its time.
 */
export function createTurns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < pieceMs) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}

/** Resolves when the loop has done what waited. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
