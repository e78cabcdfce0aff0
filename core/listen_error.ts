/** What an address is for; `name` is the variable that sets the port. */
export interface ListenAddress {
  hostname: string;
  port: number;
  name: string;
}

/** Starts a server; when its address cannot be had, the Error says which and why. */
export function listening<T>({ hostname, port, name }: ListenAddress, start: () => T): T {
  try {
    return start();
  } catch (cause) {
    const { name: kind, message } = cause as Error;
    const why = kind === "AddrInUse" ? "the port is in use" : message;
    throw new Error(`Cannot listen on ${hostname}:${port} (${name}): ${why}`, { cause });
  }
}
