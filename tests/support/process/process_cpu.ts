/** CPU seconds that a thread of a process has used so far, by default its main thread (proc(5)). */
export const threadCpuSeconds = (pid: number, thread = pid): number =>
  Number(Deno.readTextFileSync(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]) / 1e9;

/** CPU seconds of all threads of a process that live. */
export const cpuSeconds = (pid: number): number =>
  [...Deno.readDirSync(`/proc/${pid}/task`)]
    .reduce((sum, { name }) => sum + threadCpuSeconds(pid, Number(name)), 0);
