/** A process and its children. */
export function family(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  const children = Deno.readTextFileSync(path).split(" ").filter((word) => word !== "").map(Number);
  return [pid, ...children.flatMap(family)];
}

/** CPU time that a process has used so far, in seconds; it is counted in 10 ms. */
export function cpuSeconds(pid: number): number {
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Has this process run on one core only. */
export async function pinTo(core: number): Promise<void> {
  const args = ["--cpu-list", "--all-tasks", "--pid", String(core), String(Deno.pid)];
  const { success } = await new Deno.Command("taskset", { args, stdout: "null" }).output();
  if (!success) throw new Error(`Cannot run on core ${core} alone: taskset refused`);
}

/** CPU time so far, in seconds of all cores, that a virtual machine wanted and did not get. */
export function stolenSeconds(): number {
  const [all] = Deno.readTextFileSync("/proc/stat").split("\n");
  return Number(all!.split(/ +/)[8]) / 100;
}
