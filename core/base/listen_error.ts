/** Address to listen on, with its purpose; `name` is the variable that sets the port. */
export interface ListenAddress {
  hostname: string;
  port: number;
  name: string;
}

/** Starts a server; when its address cannot be had, the Error says which and why. */
export function listening<T>(address: ListenAddress, start: () => T): T {
  try {
    return start();
  } catch (cause) {
    throw listenError(address, cause);
  }
}

/** The Error that says which address cannot be had, and why; its cause is Deno's or Node's. */
export function listenError({ hostname, port, name }: ListenAddress, cause: unknown): Error {
  const { name: kind, code, message } = cause as Error & { code?: string };
  const isTaken = kind === "AddrInUse" || code === "EADDRINUSE";
  const why = isTaken
    ? `the port is in use. Stop the other program (another Switchboard?), or set ${name}`
    : message;
  return new Error(`Cannot listen on ${hostname}:${port} (${name}): ${why}`, { cause });
}
