/** A control group of Linux for one process, which is given back when it is disposed of. */
export interface CpuShare extends AsyncDisposable {
  /** Holds a process with all its threads to the share. */
  hold(pid: number): void;
}

const periodUs = 10_000;

/**
 * Makes a group whose processes get so much of a core together, by version 1 or 2 of control groups.
 * Rejects where the system does not let us.
 */
export async function cpuShare(cores: number): Promise<CpuShare> {
  const name = `switchboard-bench-${crypto.randomUUID().slice(0, 8)}`;
  const quotaUs = Math.round(cores * periodUs);
  const isFirst = await Deno.stat("/sys/fs/cgroup/cpu").then(() => true, () => false);
  const folder = isFirst ? `/sys/fs/cgroup/cpu/${name}` : `/sys/fs/cgroup/${name}`;
  await Deno.mkdir(folder);
  const write = (file: string, text: string) => Deno.writeTextFileSync(`${folder}/${file}`, text);
  if (isFirst) {
    write("cpu.cfs_period_us", String(periodUs));
    write("cpu.cfs_quota_us", String(quotaUs));
  } else write("cpu.max", `${quotaUs} ${periodUs}`);
  return {
    hold: (pid) => write("cgroup.procs", String(pid)),
    async [Symbol.asyncDispose]() {
      // A group goes once its processes have: the kernel counts them for a moment longer.
      for (let tries = 0; tries < 50; tries++) {
        const isGone = await Deno.remove(folder).then(() => true, () => false);
        if (isGone) return;
        await new Promise((wake) => setTimeout(wake, 100));
      }
    },
  };
}
