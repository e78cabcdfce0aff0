import {
  type Command,
  createPduFramer,
  cString,
  type Delivered,
  pduOf,
  type RawPdu,
  readBind,
  readSubmit,
  type Submitted,
  writeDelivery,
} from "./smpp_wire.ts";

export type { Delivered, Submitted };

/** A message center on the loopback that accepts any client with the password. */
export interface MessageCenter extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Every submit_sm that came. */
  readonly submitted: Submitted[];
  /** Resolves when so many have come. */
  hasSubmitted(count: number): Promise<void>;
  /** The status of the answer to a submit_sm; 0 unless set. Undefined: none is sent. */
  answers: (pdu: Submitted) => number | undefined;
  /** The id that a text is taken under. */
  idOf: (pdu: Submitted) => string;
  /** Sends a deliver_sm by the last session; resolves with the status of its answer. */
  deliver(fields: Delivered): Promise<number>;
  /** Sends a request, whatever it is; resolves with its answer. */
  request(command: Command, body?: number[]): Promise<RawPdu>;
  /** Sends octets as they are by the last session. */
  sendRaw(octets: number[]): void;
  /** Resolves with the next answer to what was sent raw. */
  nextUnasked(): Promise<RawPdu>;
  /** Octets that are written at once; all unless set. */
  slices: number;
  /** Number of binds so far, and their fields. */
  readonly binds: number;
  readonly bound: ReturnType<typeof readBind>[];
  hasBound(count: number): Promise<void>;
  /** Number of enquire_link and of unbind requests so far. */
  readonly enquiries: number;
  readonly unbinds: number;
  /** Answers no enquire_link any more. */
  isDead: boolean;
  /** Received data that SMPP does not allow. */
  readonly faults: unknown[];
  /** Ends all connections; new ones are taken. */
  drop(): void;
}

const wrongPassword = 0x0e;

/** With a certificate it speaks TLS. */
export function startMessageCenter(
  certificate?: { cert: string; key: string },
): Promise<MessageCenter> {
  const at = { hostname: "127.0.0.1", port: 0 };
  const listener = certificate === undefined
    ? Deno.listen(at)
    : Deno.listenTls({ ...at, ...certificate });
  const { port } = listener.addr as Deno.NetAddr;
  const news = createNews();
  const sessions = new Set<Session>();
  let last: Session;
  let taken = 0;
  const counts = { enquiries: 0, unbinds: 0 };
  const bound: MessageCenter["bound"] = [];
  const submitted: Submitted[] = [];
  const faults: unknown[] = [];
  const waitingRaw: ((pdu: RawPdu) => void)[] = [];

  const served: Partial<Record<Command, (pdu: RawPdu, session: Session) => void>> = {
    bind_transceiver({ body, sequence }, session) {
      const who = readBind(body);
      const isRight = who.system_id === "me" && who.password === "s3cret";
      const answer = isRight ? { body: cString("center") } : { status: wrongPassword };
      session.send("bind_transceiver_resp", { sequence, ...answer });
      if (!isRight) return;
      last = session;
      bound.push(who);
    },
    enquire_link({ sequence }, session) {
      counts.enquiries++;
      if (!center.isDead) session.send("enquire_link_resp", { sequence });
    },
    unbind({ sequence }, session) {
      counts.unbinds++;
      session.send("unbind_resp", { sequence });
    },
    submit_sm({ body, sequence }, session) {
      const text = readSubmit(body);
      submitted.push(text);
      const status = center.answers(text);
      if (status === undefined) return;
      const answer = status === 0 ? { body: cString(center.idOf(text)) } : { status };
      session.send("submit_sm_resp", { sequence, ...answer });
    },
  };
  const take = (pdu: RawPdu, session: Session) => {
    const serve = served[pdu.command];
    if (serve !== undefined) serve(pdu, session);
    else if (!session.answered(pdu)) {
      const unasked = waitingRaw.shift();
      if (unasked === undefined) throw new Error(`Nobody asked for ${pdu.command}`);
      unasked(pdu);
    }
    news.tell();
  };

  async function accept(): Promise<void> {
    for await (const connection of listener) {
      const session = sessionOver(connection, () => center.slices);
      sessions.add(session);
      session.serve((pdu) => take(pdu, session))
        .catch((error) => void faults.push(error))
        .finally(() => sessions.delete(session));
    }
  }
  const accepting = accept();

  const center: MessageCenter = {
    url: `smpp://me:s3cret@127.0.0.1:${port}`,
    port,
    submitted,
    hasSubmitted: (count) => news.until(() => submitted.length >= count),
    answers: () => 0,
    idOf: () => `id-${++taken}`,
    deliver: async (fields) => (await last.request("deliver_sm", writeDelivery(fields))).status,
    request: (command, body) => last.request(command, body),
    sendRaw: (octets) => last.write(Uint8Array.from(octets)),
    nextUnasked: () => new Promise((resolve) => waitingRaw.push(resolve)),
    slices: Infinity,
    get binds() {
      return bound.length;
    },
    bound,
    hasBound: (count) => news.until(() => bound.length >= count),
    get enquiries() {
      return counts.enquiries;
    },
    get unbinds() {
      return counts.unbinds;
    },
    isDead: false,
    faults,
    drop: () => sessions.forEach((session) => session.end()),
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      center.drop();
    },
  };
  return Promise.resolve(center);
}

type Session = ReturnType<typeof sessionOver>;

/** One connection: PDUs are sent one after the other, responses resolve their waiting request. */
function sessionOver(connection: Deno.Conn, slices: () => number) {
  const waiting = new Map<number, (answer: RawPdu) => void>();
  let sequence = 0;
  let isOpen = true;
  let writing: Promise<unknown> = Promise.resolve();
  const session = {
    write(octets: Uint8Array) {
      writing = writing.then(async () => {
        for (let at = 0; at < octets.length;) {
          at += await connection.write(octets.subarray(at, at + slices()));
        }
      }).catch(() => {}); // The other side is gone.
    },
    send: (command: Command, fields: Parameters<typeof pduOf>[1]) =>
      session.write(pduOf(command, fields)),
    request(command: Command, body: number[] = []) {
      const { promise, resolve } = Promise.withResolvers<RawPdu>();
      waiting.set(++sequence, resolve);
      session.send(command, { sequence, body });
      return promise;
    },
    /** Resolves the request that a response belongs to; false if there is none. */
    answered(pdu: RawPdu): boolean {
      waiting.get(pdu.sequence)?.(pdu);
      return waiting.delete(pdu.sequence);
    },
    async serve(take: (pdu: RawPdu) => void) {
      const framed = createPduFramer();
      const buffer = new Uint8Array(16 << 10);
      try {
        while (isOpen) {
          const read = await connection.read(buffer).catch(() => null);
          if (read === null) break;
          framed(buffer.slice(0, read)).forEach(take);
        }
      } finally {
        session.end();
      }
    },
    end() {
      if (!isOpen) return;
      isOpen = false;
      connection.close();
    },
  };
  return session;
}

/** Lets tests wait for what comes. */
function createNews() {
  const waiting = new Set<() => void>();
  return {
    tell: () => waiting.forEach((look) => look()),
    until: (isSo: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = () => {
          if (!isSo()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
