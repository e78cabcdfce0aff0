import { queue } from "../service/queue.ts";
import { peerRequest } from "./sip_peer.ts";
import { type SipText, uriIn, valueOf, writeSip } from "./sip_text.ts";
import { type TalkingPhone, talkingPhone } from "./talking_phone.ts";
import { openTrunk } from "./trunk_peer.ts";

/** A carrier at one UDP port of the loopback, and the telephones behind it, each by its number. */
export interface TelephoneNetwork extends AsyncDisposable {
  /** For `OUTBOUND_PROXY`. */
  readonly proxy: string;
  /** The telephone of a number, which may be called from now on. */
  telephone(number: string): Telephone;
}

export interface Telephone {
  readonly number: string;
  /** Calls a number of the service; resolves when it answered. */
  call(to: string): Promise<TelephoneCall>;
  /** The next call to this telephone. It rings. */
  rung(): Promise<RingingCall>;
}

export interface RingingCall {
  /** The number that it shows. */
  readonly from: string;
  answer(): Promise<TelephoneCall>;
  refuse(status: number): void;
}

export interface TelephoneCall {
  readonly talking: TalkingPhone;
  /** Ends the call at this end. */
  hangUp(): Promise<void>;
  /** Resolves when the service ended the call. */
  readonly over: Promise<void>;
}

/** Opens one for the service that listens at a UDP port of the loopback. */
export async function openTelephoneNetwork(servicePort: number): Promise<TelephoneNetwork> {
  const trunk = await openTrunk({ host: "127.0.0.1", port: servicePort });
  const telephones = new Map<string, ReturnType<typeof queue<SipText>>>();
  const dialogs = new Map<string, (message: SipText) => void>();
  let isClosed = false;

  /** Answers requests, and hands messages to their dialogs; a repeated INVITE changes nothing. */
  function take(message: SipText): void {
    const id = valueOf(message, "call-id");
    const dialog = dialogs.get(id);
    if (dialog !== undefined) return dialog(message);
    if (message.method === "ACK" || message.method === undefined) return;
    if (message.method !== "INVITE") return trunk.respond(message, 200);
    const called = telephones.get(/sip:([^@;>]+)/.exec(message.start)?.[1] ?? "");
    if (called === undefined) return trunk.respond(message, 404);
    trunk.answer(message, { status: 180, sdp: "" });
    dialogs.set(id, () => {});
    called.put(message);
  }
  void (async () => {
    for (;;) {
      const message = await trunk.next();
      if (isClosed) return;
      take(message);
    }
  })();

  /** Registers an established call; `request` writes a request of this end. */
  function connect(
    id: string,
    talking: TalkingPhone,
    request: (method: string, cseq: number) => string,
  ): TelephoneCall {
    const [ended, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    dialogs.set(id, (message) => {
      const { method, status } = message;
      if (method === "BYE") ended.resolve();
      if (method !== undefined && method !== "ACK" && method !== "INVITE") {
        trunk.respond(message, 200);
      }
      if (status !== undefined && valueOf(message, "cseq").endsWith("BYE")) answered.resolve();
    });
    return {
      talking,
      over: ended.promise.then(() => talking.close()),
      async hangUp() {
        trunk.send(request("BYE", 2));
        await answered.promise;
        await talking.close();
      },
    };
  }

  const headers = (id: string, cseq: string) => [
    `Via: SIP/2.0/UDP 127.0.0.1:${trunk.port};branch=z9hG4bK${crypto.randomUUID()};rport`,
    `Call-ID: ${id}`,
    `CSeq: ${cseq}`,
    "Max-Forwards: 70",
  ];

  async function place(number: string, to: string): Promise<TelephoneCall> {
    const talking = await talkingPhone();
    const id = crypto.randomUUID();
    const from = `<sip:${number}@carrier.test>;tag=${number.slice(1)}`;
    const text = peerRequest("INVITE", "UDP", trunk.port, {
      target: `sip:${to}@127.0.0.1:${servicePort}`,
      branch: `z9hG4bK${id}`,
      callId: id,
      from,
      sdp: talking.sdp,
    });
    const { promise, resolve, reject } = Promise.withResolvers<SipText>();
    dialogs.set(id, (message) => {
      if (message.status === undefined || message.status < 200) return;
      if (message.status < 300) return resolve(message);
      reject(new Error(`${to} answers ${message.start}`));
    });
    trunk.send(text);
    const answer = await promise;
    const request = (method: string, cseq: number) =>
      writeSip(`${method} ${uriIn(valueOf(answer, "contact"))} SIP/2.0`, [
        ...headers(id, `${cseq} ${method}`),
        `From: ${from}`,
        `To: ${valueOf(answer, "to")}`,
      ]);
    trunk.send(request("ACK", 1));
    talking.connect(answer.body);
    return connect(id, talking, request);
  }

  async function answer(invite: SipText): Promise<TelephoneCall> {
    const talking = await talkingPhone();
    const id = valueOf(invite, "call-id");
    talking.connect(invite.body);
    const [to, from] = [valueOf(invite, "to"), valueOf(invite, "from")];
    const call = connect(
      id,
      talking,
      (method, cseq) =>
        writeSip(`${method} ${uriIn(valueOf(invite, "contact"))} SIP/2.0`, [
          ...headers(id, `${cseq} ${method}`),
          `From: ${to};tag=callee`,
          `To: ${from}`,
        ]),
    );
    trunk.answer(invite, { sdp: talking.sdp });
    return call;
  }

  return {
    proxy: `127.0.0.1:${trunk.port}`,
    telephone(number) {
      const calls = queue<SipText>();
      telephones.set(number, calls);
      return {
        number,
        call: (to) => place(number, to),
        async rung() {
          const invite = await calls.take();
          return {
            from: /sip:([^@;>]+)/.exec(valueOf(invite, "from"))?.[1] ?? "",
            answer: () => answer(invite),
            refuse: (status) => trunk.respond(invite, status),
          };
        },
      };
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await trunk[Symbol.asyncDispose]();
    },
  };
}
