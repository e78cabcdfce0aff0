/** UDP ports that a process has bound, by default this one, from the kernel (proc(5)). */
export async function udpPorts(pid: number | "self" = "self"): Promise<Set<number>> {
  const inodes = new Set<string>();
  for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
    // A descriptor may be closed in between, as that of this listing.
    const target = await Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "");
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
    if (inode !== undefined) inodes.add(inode);
  }
  const tables = await Promise.all(
    ["udp", "udp6"].map((name) => Deno.readTextFile(`/proc/net/${name}`)),
  );
  const rows = tables.flatMap((table) => table.trim().split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/));
  const own = rows.filter(([, , , , , , , , , inode = ""]) => inodes.has(inode));
  return new Set(own.map(([, address = ""]) => parseInt(address.split(":")[1] ?? "", 16)));
}
