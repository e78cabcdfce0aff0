import {
  ClientTransaction,
  type ClientTransactionUser,
  type IncomingResponseMessage,
  InviteClientTransaction,
  NonInviteClientTransaction,
  type OutgoingRequestMessage,
  Timers as lengths,
  TransactionState,
  type Transport,
  type TransportError,
  UserAgentClient,
  type UserAgentCore,
} from "sip.js/lib/core/index.js";
import { sipTimeouts } from "../../base/metrics.ts";
import { after } from "./timers.ts";

/**
 * Start of outgoing requests, without the timers of the runtime that the library sets for B and F (RFC 3261
 * §17.1) in constructors, out of reach, and without a closure for each event of a request. The transactions
 * are the library's in all else.
 */
export function replaceClients(): void {
  Object.setPrototypeOf(InviteClient.prototype, InviteClientTransaction.prototype);
  Object.setPrototypeOf(OtherClient.prototype, NonInviteClientTransaction.prototype);
  Object.assign(UserAgentClient.prototype, { init });
}

/** Protected members of an outgoing request. */
interface OpenClient {
  readonly core: UserAgentCore;
  readonly message: OutgoingRequestMessage;
  readonly loggerFactory: UserAgentCore["loggerFactory"];
  readonly transactionConstructor: unknown;
  _transaction: unknown;
  onRequestTimeout(): void;
  onTransportError(error: TransportError): void;
  receiveResponse(message: IncomingResponseMessage): void;
  dispose(): void;
}

function init(this: OpenClient): void {
  const { core, message } = this;
  const user = new ClientUser(this);
  const isInvite = this.transactionConstructor === InviteClientTransaction;
  const transaction = isInvite
    ? new InviteClient(message, core.transport, user)
    : new OtherClient(message, core.transport, user);
  this._transaction = user.transaction = transaction;
  user.key = transaction._id + message.method;
  // `this` is typed by the members that are used here.
  core.userAgentClients.set(user.key, this as unknown as UserAgentClient);
  if (transaction instanceof InviteClient) {
    begin(transaction, lengths.TIMER_B, () => transaction.timerB());
  } else begin(transaction, lengths.TIMER_F, () => transaction.timerF());
}

/** Handler of one transaction; a request that answers a challenge has another. */
class ClientUser implements ClientTransactionUser {
  readonly #client: OpenClient;
  transaction: unknown;
  key = "";

  constructor(client: OpenClient) {
    this.#client = client;
  }
  get loggerFactory() {
    return this.#client.loggerFactory;
  }
  onRequestTimeout() {
    sipTimeouts.inc({ method: this.#client.message.method });
    this.#client.onRequestTimeout();
  }
  onStateChange(state: TransactionState) {
    if (state !== TransactionState.Terminated) return;
    this.#client.core.userAgentClients.delete(this.key);
    if (this.transaction === this.#client._transaction) this.#client.dispose();
  }
  onTransportError(error: TransportError) {
    this.#client.onTransportError(error);
  }
  receiveResponse(message: IncomingResponseMessage) {
    this.#client.receiveResponse(message);
  }
}

/** Protected members of a client transaction, and the methods that begin one. */
interface OpenTransaction {
  readonly _id: string;
  readonly _request: OutgoingRequestMessage;
  stopWaiting: (() => void) | undefined;
  send(message: string): Promise<void>;
  logTransportError(error: Error, message: string): void;
}

/** Members that the constructors of sip.js fill in. */
class Client implements OpenTransaction {
  readonly _user: ClientUser;
  readonly _id: string;
  readonly listeners: (() => void)[] = [];
  readonly logger: unknown;
  stopWaiting: (() => void) | undefined;
  declare send: OpenTransaction["send"];
  declare logTransportError: OpenTransaction["logTransportError"];

  constructor(
    readonly _request: OutgoingRequestMessage,
    readonly _transport: Transport,
    readonly user: ClientUser,
    public _state: TransactionState,
  ) {
    this._user = user;
    // makeId is protected.
    this._id = (ClientTransaction as unknown as IdMaker).makeId(_request);
    this.logger = user.loggerFactory.getLogger("sip.transaction");
    _request.setViaHeader(this._id, _transport.protocol);
  }
}

interface IdMaker {
  makeId(request: OutgoingRequestMessage): string;
}

/** Sends the request; `giveUp` is what the library does when no answer came in time. */
function begin(client: OpenTransaction, ms: number, giveUp: () => void): void {
  client.stopWaiting = after(ms, giveUp);
  client.send(client._request.toString()).catch((error) => {
    client.logTransportError(error, "Failed to send initial outgoing request.");
  });
}

class InviteClient extends Client {
  readonly ackRetransmissionCache = new Map<string, OutgoingRequestMessage | undefined>();
  declare timerB: () => void;

  constructor(request: OutgoingRequestMessage, transport: Transport, user: ClientUser) {
    super(request, transport, user, TransactionState.Calling);
  }
}

class OtherClient extends Client {
  declare timerF: () => void;

  constructor(request: OutgoingRequestMessage, transport: Transport, user: ClientUser) {
    super(request, transport, user, TransactionState.Trying);
  }
}
