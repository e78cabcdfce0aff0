import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { names } from "../../../core/machine/net/names.ts";
import { mediaLimits } from "../base/limits.ts";

/** Servers of customers that may be connected to. */
export interface Reach {
  /** True where an address may be connected to. */
  mayReach(address: string): boolean;
  /** Whose share of look-ups it takes: the account right under the root. */
  tenant?: string;
  /** Certificates of authorities beside the usual ones. */
  caCerts?: string[];
}

/**
 * Connects to the server of a URL, by TLS for `wss`. The name is resolved once, and the connection goes
 * to the address that was checked, so that no name can be public at the check and private at the
 * connection. Rejects with an Error that says why it failed, in time.
 */
export async function connectTo(url: URL, reach: Reach, signal: AbortSignal): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const address = await addressOf(host, reach);
  signal.throwIfAborted();
  const isSecure = url.protocol === "wss:";
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const named = isIP(host) === 0 ? { servername: host } : {};
  const { caCerts } = reach;
  const socket = isSecure
    ? connectTls({ host: address, port, ...named, ...caCerts && { ca: caCerts } })
    : connectTcp({ host: address, port });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = (why: string) => () => reject(new Error(why));
  const late = setTimeout(
    giveUp(`it does not answer within ${mediaLimits.streamConnectMs / 1_000} s`),
    mediaLimits.streamConnectMs,
  );
  const abort = giveUp("the stream was stopped");
  signal.addEventListener("abort", abort, { once: true });
  socket.once(isSecure ? "secureConnect" : "connect", () => resolve());
  socket.on("error", reject);
  socket.once("close", giveUp("it closed the connection"));
  try {
    await promise;
    socket.setNoDelay(true);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(late);
    signal.removeEventListener("abort", abort);
  }
}

/** An address of a host, of which every one may be reached. */
async function addressOf(host: string, { mayReach, tenant }: Reach): Promise<string> {
  const found = (await names.addressesOf(host, tenant)).map(({ address }) => address);
  const [first] = found;
  if (first === undefined) throw new Error(`the name ${host} has no address`);
  if (found.every(mayReach)) return first;
  throw new Error(`${host} is at a private address, and ALLOW_PRIVATE_URLS is not set`);
}
