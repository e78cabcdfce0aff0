import smpp from "smpp";

/** A unit of the protocol as the simulator sees it. */
// deno-lint-ignore no-explicit-any
export type SmppPdu = any;

/** A message center on the loopback that takes whoever has the password. */
export interface MessageCenter extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Every submit_sm that came. */
  readonly submitted: SmppPdu[];
  /** Resolves when so many have come. */
  hasSubmitted(count: number): Promise<void>;
  /** The status of the answer to a submit_sm; 0 unless set. Undefined: none is sent. */
  answers: (pdu: SmppPdu) => number | undefined;
  /** The id that a text is taken under. */
  idOf: (pdu: SmppPdu) => string;
  /** Sends a deliver_sm by the last session; resolves with the status of its answer. */
  deliver(fields: Record<string, unknown>): Promise<number>;
  /** Binds so far. */
  readonly binds: number;
  hasBound(count: number): Promise<void>;
  /** Asked whether it lives, so often. */
  readonly enquiries: number;
  /** Answers no enquire_link any more. */
  isDead: boolean;
  /** Ends all connections; new ones are taken. */
  drop(): void;
}

/** With a certificate it speaks TLS. */
export function startMessageCenter(
  certificate: { cert: string; key: string } | Record<string, never> = {},
): Promise<MessageCenter> {
  const waiting = new Set<() => void>();
  const look = () => waiting.forEach((one) => one());
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const one = () => {
        if (!isSo()) return;
        waiting.delete(one);
        resolve();
      };
      waiting.add(one);
      one();
    });
  const sessions = new Set<SmppPdu>();
  let last: SmppPdu;
  let taken = 0;
  let [binds, enquiries] = [0, 0];
  const submitted: SmppPdu[] = [];
  // deno-lint-ignore no-explicit-any
  const server = (smpp as any).createServer({ ...certificate }, (session: SmppPdu) => {
    sessions.add(session);
    session.on("error", () => {});
    session.on("close", () => sessions.delete(session));
    session.on("bind_transceiver", (pdu: SmppPdu) => {
      const isRight = pdu.system_id === "me" && pdu.password === "s3cret";
      session.send(pdu.response({ command_status: isRight ? 0 : 0x0e, system_id: "center" }));
      if (!isRight) return;
      last = session;
      binds++;
      look();
    });
    session.on("enquire_link", (pdu: SmppPdu) => {
      enquiries++;
      if (!center.isDead) session.send(pdu.response());
      look();
    });
    session.on("unbind", (pdu: SmppPdu) => {
      session.send(pdu.response());
      session.close();
    });
    session.on("submit_sm", (pdu: SmppPdu) => {
      submitted.push(pdu);
      const status = center.answers(pdu);
      if (status !== undefined) {
        const message_id = status === 0 ? center.idOf(pdu) : "";
        session.send(pdu.response({ command_status: status, message_id }));
      }
      look();
    });
  });
  const center: MessageCenter = {
    url: "",
    port: 0,
    submitted,
    hasSubmitted: (count) => until(() => submitted.length >= count),
    answers: () => 0,
    idOf: () => `id-${++taken}`,
    deliver: (fields) =>
      new Promise((resolve) =>
        last.deliver_sm(fields, (answer: SmppPdu) => resolve(answer.command_status))
      ),
    get binds() {
      return binds;
    },
    hasBound: (count) => until(() => binds >= count),
    get enquiries() {
      return enquiries;
    },
    isDead: false,
    drop: () => sessions.forEach((session) => session.destroy()),
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      center.drop();
      await closed;
    },
  };
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const { port: listening } = server.address();
      resolve(Object.assign(center, {
        url: `smpp://me:s3cret@127.0.0.1:${listening}`,
        port: listening,
      }));
    })
  );
}
