const symbols = {
  syscall: { parameters: ["i64", "i64", "i64", "i64"], result: "i64" },
  shutdown: { parameters: ["i32", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const;

/** Numbers of system calls, on x86-64 and arm64 alike. */
const [pidfdOpen, pidfdGetfd] = [434n, 438n];
const bothWays = 2; // SHUT_RDWR

/**
 * Ends the listening of another process's TCP port, as a fault of the kernel or the runtime would.
 * The process keeps the descriptor and gets no event that it could rely on. The caller needs the
 * right to trace the process. Throws if the process does not listen on the port.
 */
export function shutListener(pid: number, port: number): void {
  const fd = listenerOf(pid, port);
  const libc = Deno.dlopen("libc.so.6", symbols);
  const process = Number(libc.symbols.syscall(pidfdOpen, BigInt(pid), 0n, 0n));
  const listener = Number(libc.symbols.syscall(pidfdGetfd, BigInt(process), BigInt(fd), 0n));
  const outcome = listener < 0 ? -1 : libc.symbols.shutdown(listener, bothWays);
  for (const own of [listener, process]) if (own >= 0) libc.symbols.close(own);
  libc.close();
  if (outcome !== 0) throw new Error(`Cannot shut descriptor ${fd} of process ${pid}`);
}

/** The descriptor by which a process listens on a port, over IPv4 (proc(5), `/proc/PID/net/tcp`). */
function listenerOf(pid: number, port: number): number {
  const isListening = "0A";
  const localPort = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const line = Deno.readTextFileSync(`/proc/${pid}/net/tcp`).split("\n")
    .map((line) => line.trim().split(/\s+/))
    .find(([, local = "", , state]) => local.endsWith(localPort) && state === isListening);
  const inode = line?.[9];
  for (const { name } of Deno.readDirSync(`/proc/${pid}/fd`)) {
    if (linkOf(`/proc/${pid}/fd/${name}`) === `socket:[${inode}]`) return Number(name);
  }
  throw new Error(`Process ${pid} does not listen on port ${port}`);
}

function linkOf(path: string): string | undefined {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return undefined; // It was closed meanwhile.
  }
}
