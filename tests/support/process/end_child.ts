/** Signals a process unless it ended by itself, and waits for its end. */
export async function endChild(child: Deno.ChildProcess, signal?: Deno.Signal): Promise<void> {
  try {
    child.kill(signal);
  } catch {
    // It has ended.
  }
  await child.status;
}
