/** The last work of each name that waits or goes on. */
const last = new Map<string, Promise<unknown>>();

/**
 * Does work after all earlier work of the same name in this process, however that ended. Two at
 * once would both see the last free place of a bound.
 */
export async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const turn = Promise.resolve(last.get(name)).catch(() => {}).then(work);
  last.set(name, turn);
  try {
    return await turn;
  } finally {
    if (last.get(name) === turn) last.delete(name);
  }
}
