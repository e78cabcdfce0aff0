/**
 * Keeps the processors from going idle between two operations of the store, which change threads,
 * or between packets. An idle processor takes longer to wake than most operations take, and on a
 * virtual machine the program that wakes it pays. One busy loop runs on each, at a priority so low
 * that everything else goes first. Figures with them are those of a server with other requests
 * under way; on an idle machine each operation waits for the waking as well. `AWAKE=0` leaves them
 * out, as does a machine without `nice`. They end when this is disposed of, or with this process.
 */
export function keptAwake(): AsyncDisposable & { loops: number } {
  const isWanted = Deno.env.get("AWAKE") !== "0";
  // The loop asks whether this process is there, so that none is left behind.
  const loop = `while kill -0 ${Deno.pid} 2>/dev/null; do :; done`;
  const children: Deno.ChildProcess[] = [];
  try {
    for (let at = 0; isWanted && at < navigator.hardwareConcurrency; at++) {
      const args = ["-n", "19", "sh", "-c", loop];
      children.push(new Deno.Command("nice", { args, stdin: "null" }).spawn());
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return {
    loops: children.length,
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill("SIGKILL");
      await Promise.all(children.map((child) => child.status));
    },
  };
}
