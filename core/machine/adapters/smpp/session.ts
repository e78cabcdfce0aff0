import { isIP } from "node:net";
import { lookupBy } from "../../net/names.ts";
import { connect, errors, type LibrarySession, PDU, type Pdu, statusName } from "./library.ts";

/** Address of a message center, and the credentials at it. */
export interface SmppAddress {
  host: string;
  port: number;
  tls: boolean;
  systemId: string;
  password: string;
  systemType: string;
}

/** In ms. */
export interface SmppTimings {
  /** Time limit of a response. */
  answerMs: number;
  /** Interval of enquire_link. */
  enquireMs: number;
  /**
   * The first and the longest pause before a connection is made again, or a throttled text sent
   * again.
   */
  pauseMs: number;
  pauseMaxMs: number;
}

/** A request was not answered: not sent at all, or sent and lost. */
export class SmppLost extends Error {
  override readonly name = "SmppLost";
  constructor(why: string, readonly isUnsent: boolean) {
    super(`Cannot reach the message center: ${why}`);
  }
}

/** A bound session (SMPP 3.4 §2.2). */
export interface SmppSession {
  /** Resolves with the answer, whatever its status. Rejects with SmppLost. */
  request(command: string, fields: Record<string, unknown>): Promise<Pdu>;
  /** Unbinds and closes the connection. */
  close(): Promise<void>;
  /** Resolves with why, when the connection is gone. */
  readonly closed: Promise<string>;
}

export interface SmppSessionOptions {
  address: SmppAddress;
  timings: SmppTimings;
  /** Takes a deliver_sm; the status that it is answered with. */
  onDeliver(pdu: Pdu): Promise<number>;
  log(line: string, fields?: Record<string, unknown>): void;
}

/**
 * Connects and binds as a transceiver (SMPP 3.4 §4.1.5). Rejects with why that cannot be, also when
 * the signal aborts first.
 */
export async function bindSession(
  options: SmppSessionOptions,
  signal: AbortSignal,
): Promise<SmppSession> {
  const { address, timings } = options;
  const { systemId, password, systemType, ...place } = address;
  const server = place.tls && isIP(place.host) === 0 ? { servername: place.host } : {};
  const library = connect({ ...place, ...server, lookup: lookupBy() });
  const session = sessionOver(library, options);
  const giveUp = () => library.destroy();
  signal.addEventListener("abort", giveUp);
  try {
    await within(timings.answerMs, session.connected);
    const answer = await session.request("bind_transceiver", {
      system_id: systemId,
      password,
      system_type: systemType,
      interface_version: 0x34,
    });
    if (answer.command_status !== 0) {
      throw new Error(`the bind was refused: ${statusName(answer.command_status)}`);
    }
  } catch (error) {
    library.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
  session.keepAlive();
  return session;
}

/** Rejects when a promise takes too long. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SmppLost("no answer in time", false)), ms);
  });
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Requests that are answered in their own way, or by nothing (SMPP 3.4 §4.1.7, §4.12). */
const served = new Set(["enquire_link", "unbind", "deliver_sm", "outbind", "alert_notification"]);

/** Answers what the message center sends of itself (SMPP 3.4 §4.6, §4.11). */
function answerRequests(
  library: LibrarySession,
  { onDeliver, log }: Pick<SmppSessionOptions, "onDeliver" | "log">,
): void {
  library.on("enquire_link", (pdu) => void library.send(pdu.response()));
  library.on("pdu", (pdu) => {
    if (pdu.isResponse() || served.has(pdu.command)) return;
    library.send(pdu.response({ command_status: errors["ESME_RINVCMDID"] }));
  });
  library.on("deliver_sm", (pdu) => {
    onDeliver(pdu).catch((error) => {
      log("Cannot process a message from the SMS message center", { error });
      return errors["ESME_RX_T_APPN"]!; // It may come again.
    }).then((status) => library.send(pdu.response({ command_status: status })));
  });
}

function sessionOver(library: LibrarySession, { timings, onDeliver, log }: SmppSessionOptions) {
  const closed = Promise.withResolvers<string>();
  const connected = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  connected.promise.catch(() => {});
  let why = "the connection was lost";
  let timer: ReturnType<typeof setInterval> | undefined;

  const end = (reason: string) => {
    why = reason;
    library.destroy();
  };
  library.on("connect", () => connected.resolve());
  library.on("secureConnect", () => connected.resolve());
  library.on("error", (error) => end(error instanceof Error ? error.message : String(error)));
  library.on("close", () => {
    clearInterval(timer);
    const error = new SmppLost(why, false);
    connected.reject(error);
    lost.reject(error);
    closed.resolve(why);
  });
  library.on("unbind", (pdu) => {
    library.send(pdu.response());
    end("the message center unbound");
  });
  answerRequests(library, { onDeliver, log });

  async function request(command: string, fields: Record<string, unknown>): Promise<Pdu> {
    const { promise, resolve } = Promise.withResolvers<Pdu>();
    const isSent = library.send(new PDU(command, fields), resolve);
    if (!isSent) throw new SmppLost("the connection is not there", true);
    return await within(timings.answerMs, Promise.race([promise, lost.promise]));
  }

  return {
    connected: connected.promise,
    closed: closed.promise,
    request,
    /** Asks now and then whether the other side lives (SMPP 3.4 §4.11), and ends without an answer. */
    keepAlive() {
      timer = setInterval(() => {
        request("enquire_link", {}).catch(() => end("it does not answer enquire_link"));
      }, timings.enquireMs);
    },
    async close() {
      clearInterval(timer);
      await request("unbind", {}).catch(() => {});
      library.destroy();
      await closed.promise;
    },
  };
}
