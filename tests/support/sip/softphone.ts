import { type IncomingCall, incomingCall } from "./softphone_incoming.ts";
import { type OutgoingCall, placeCall, type PlaceOptions } from "./softphone_outgoing.ts";
import { queue } from "../service/queue.ts";
import { respond } from "./softphone_dialog.ts";
import {
  type Line,
  openLine,
  type Phone,
  plainRequest,
  randomToken,
  type RequestOptions,
} from "./softphone_line.ts";
import { readSip, type SipText } from "./sip_text.ts";

/** A SIP user agent over WebSocket that acts only as a test orders. */
export interface Softphone extends Phone {
  /** REGISTER, answering the challenge; resolves with the last response. */
  register(options?: RegisterOptions): Promise<SipText>;
  /** Any request outside a dialog; resolves with its final response. */
  request(method: string, options?: RequestOptions): Promise<SipText>;
  /** INVITE, answering the challenge. */
  call(target: string, options?: PlaceOptions): OutgoingCall;
  /** MESSAGE, answering the challenge; resolves with the final response. */
  message(login: string, text: string, options?: RequestOptions): Promise<SipText>;
  /** The next MESSAGE that no other call has returned; it was answered. */
  nextText(): Promise<SipText>;
  /** Status of the response to a MESSAGE; 0 for no response. */
  textStatus: number;
  /** The next INVITE that no other call has returned. */
  nextCall(): Promise<IncomingCall>;
  /** The same with plain RTP: offers of WebRTC are declined, so that the next one comes. */
  nextPlainCall(): Promise<IncomingCall>;
  /** Called for every INVITE instead of queueing it for `nextCall`. */
  onCall: ((call: IncomingCall) => void) | undefined;
  /** Sends text as it is; the answer to it, if any, is left to `nextMessage`. */
  send(text: string): void;
  /** The next message that belongs to no transaction or call of ours. */
  nextMessage(): Promise<SipText>;
  /** Resolves with the close code of the socket. */
  readonly closed: Promise<number>;
  close(): Promise<void>;
}

export interface RegisterOptions {
  expires?: number;
  headers?: string[];
  /** Empty for none. */
  contact?: string;
  /** Headers to write otherwise in the request that answers the challenge. */
  replace?: Record<string, string>;
}

export interface SoftphoneOptions {
  url: string;
  login: string;
  password: string;
  /** User name of digest authentication; the login unless given. */
  username?: string;
  domain: string;
  /** `+sip.instance`, for phones that are one device of several. */
  instance?: string;
  /** The authority to believe over TLS; PEM. */
  authority?: string;
  /** Headers of the WebSocket's handshake, as a reverse proxy adds them. */
  headers?: Record<string, string>;
  /** Another client of WebSocket than Deno's, which leaves Nagle's algorithm on: browsers do not. */
  connect?(url: string): WebSocket;
}

/** Connects a softphone; it says nothing yet. */
export async function openSoftphone(options: SoftphoneOptions): Promise<Softphone> {
  const { login, domain, url, authority, headers = {} } = options;
  const client = authority === undefined
    ? undefined
    : Deno.createHttpClient({ caCerts: [authority] });
  const {
    connect = () => new WebSocket(url, { protocols: ["sip"], headers, ...client && { client } }),
  } = options;
  const socket = connect(url);
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<number>();
  void closed.promise.then(() => client?.close());
  const calls = queue<IncomingCall>();
  const strays = queue<SipText>();
  const texts = queue<SipText>();
  const contact = `sip:${randomToken()}@phone.invalid;transport=ws`;
  const { line, take } = openLine(socket, { login, domain, contact }, options);

  const softphone: Softphone = {
    ...line.phone,
    onCall: undefined,
    register: registration(line, options),
    request: (method, wanted = {}) => line.transact(plainRequest(line.phone, method, wanted)),
    textStatus: 200,
    nextText: texts.take,
    async message(to, content, wanted = {}) {
      const target = to.includes(":") ? to : `sip:${to}@${domain}`;
      const send = (cseq: number, ...extra: string[]) =>
        line.transact(plainRequest(line.phone, "MESSAGE", {
          target,
          body: { type: "text/plain", content },
          ...wanted,
          headers: [...wanted.headers ?? [], ...extra],
          replace: { cseq: `${cseq} MESSAGE`, ...wanted.replace },
        }));
      const first = await send(1);
      return first.status === 407 ? await send(2, line.authorize(first, "MESSAGE", target)) : first;
    },
    call: (target, wanted) => placeCall(line, target, wanted ?? {}),
    nextCall: calls.take,
    async nextPlainCall() {
      for (;;) {
        const call = await calls.take();
        if (/^m=audio \d+ RTP\/AVP /m.test(call.invite.body)) return call;
        call.decline(488);
      }
    },
    send: line.send,
    nextMessage: strays.take,
    closed: closed.promise,
    async close() {
      socket.close();
      await closed.promise;
    },
  };

  socket.onopen = () => opened.resolve();
  socket.onerror = () => opened.reject(new Error(`Cannot connect to ${url}`));
  socket.onclose = ({ code }) => {
    opened.reject(new Error(`${url} closed the connection with ${code}`));
    closed.resolve(code);
  };
  socket.onmessage = ({ data }) => {
    const message = readSip(data);
    if (take(message)) return;
    if (message.method === "INVITE") {
      const call = incomingCall(line, message);
      if (softphone.onCall === undefined) calls.put(call);
      else softphone.onCall(call);
      return;
    }
    if (message.method === "MESSAGE") {
      texts.put(message);
      if (softphone.textStatus > 0) respond(line, message, { status: softphone.textStatus });
      return;
    }
    strays.put(message);
    if (message.method && message.method !== "ACK") respond(line, message, { status: 481 });
  };
  await opened.promise;
  return softphone;
}

function registration(line: Line, { instance }: SoftphoneOptions): Softphone["register"] {
  const { login, domain, contact } = line.phone;
  const callId = randomToken();
  const uri = `sip:${domain}`;
  const device = instance && `;reg-id=1;+sip.instance="<urn:uuid:${instance}>"`;
  let cseq = 0;
  return async ({ expires = 600, headers = [], contact: given, replace = {} } = {}) => {
    const attempt = (replaced: Record<string, string>, ...extra: string[]) =>
      line.transact(plainRequest(line.phone, "REGISTER", {
        target: uri,
        headers: [
          ...given === "" ? [] : [`Contact: ${given ?? `<${contact}>${device ?? ""}`}`],
          `Expires: ${expires}`,
          ...headers,
          ...extra,
        ],
        replace: {
          "call-id": callId,
          "cseq": `${++cseq} REGISTER`,
          "to": `<sip:${login}@${domain}>`,
          ...replaced,
        },
      }));
    const first = await attempt({});
    if (first.status !== 401) return first;
    return await attempt(replace, line.authorize(first, "REGISTER", uri));
  };
}
