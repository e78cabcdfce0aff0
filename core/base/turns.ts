/**
 * Cuts long work into pieces. One piece of work holds up every other request: a JSON body of 1 MiB
 * took up to 1.2 s, a form 0.3 s, 1,000 Calls as XML 0.18 s, markup of 16,000 elements 0.14 s.
 *
 * Bodies and markup are therefore refused by the number of their separators, before they are parsed
 * (`json_size.ts`). Lists, searches of numbers and compression let others run every 5 ms. The
 * longest pieces left take 10 to 20 ms: a list of 1,000 records that the store decodes, markup of
 * 2,000 attributes.
 */
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

/** Resolves when the loop has done its waiting work. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
