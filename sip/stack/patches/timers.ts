import {
  InviteClientTransaction,
  InviteServerTransaction,
  NonInviteClientTransaction,
  NonInviteServerTransaction,
  SessionDialog,
  Timers as lengths,
  TransactionState,
} from "sip.js/lib/core/index.js";
import { transactionTimers } from "../../base/limits.ts";
import { createTimers } from "../../base/timers.ts";

/**
 * Timers of sip.js in a call, by timers of ours: the library sets one of the runtime each time, at
 * several times the cost. Those of no length, by which it ends what needs no wait (RFC 3261 §17), are
 * the next microtask. What a client waits for at first, B and F, `client_transactions.ts` sets.
 */
export function replaceTimers(): void {
  Object.assign(InviteServerTransaction.prototype, inviteServer);
  Object.assign(InviteClientTransaction.prototype, inviteClient);
  Object.assign(NonInviteServerTransaction.prototype, otherServer);
  Object.assign(NonInviteClientTransaction.prototype, otherClient);
  Object.assign(SessionDialog.prototype, { start2xxRetransmissionTimer, dispose: disposeDialog });
}

/** For all cores: whatever is disposed of stops its own. */
export const { after } = createTimers();

/** Protected members of a transaction, and the stops of our timers for it. */
interface Open {
  readonly state: TransactionState;
  readonly transport: { protocol: string };
  lastProvisionalResponse?: string;
  stopWaiting?: (() => void) | undefined;
  stopExtending?: (() => void) | undefined;
  setState(state: TransactionState): void;
  send(message: string): Promise<void>;
  startProgressExtensionTimer(): void;
  stopProgressExtensionTimer(): void;
  dispose(): void;
}

type Timer = "timerD" | "timerH" | "timerI" | "timerJ" | "timerK" | "timerL" | "timerM";
/** With what the library does when these are over. */
type With<T extends Timer> = Open & Record<T, () => void>;

const { Proceeding, Accepted, Completed, Confirmed, Terminated } = TransactionState;

function enter(transaction: Open, state: TransactionState): void {
  if (state === Terminated) transaction.dispose();
  transaction.setState(state);
}

/** Ends a state once its message is passed on, unless the transaction is elsewhere by then. */
function soon(transaction: Open, state: TransactionState, end: () => void): void {
  queueMicrotask(() => {
    if (transaction.state === state) end();
  });
}

const { receiveResponse } = InviteServerTransaction.prototype;

const inviteServer = {
  /**
   * 100 is for who would wait for more than 200 ms (RFC 3261 §17.2.1); over UDP the flow sees to
   * it.
   */
  receiveResponse(this: Open, statusCode: number, response: string) {
    const give = () => receiveResponse.call(this as never, statusCode, response);
    if (this.state !== Proceeding) return give();
    this.stopWaiting?.();
    if (statusCode > 100 || this.transport.protocol === "UDP") return give();
    this.stopWaiting = after(transactionTimers.tryingMs, give);
  },
  stateTransition(this: With<"timerH" | "timerI" | "timerL">, state: TransactionState) {
    this.stopProgressExtensionTimer();
    if (state === Accepted) this.stopWaiting = after(lengths.TIMER_L, () => this.timerL());
    if (state === Completed) this.stopWaiting = after(lengths.TIMER_H, () => this.timerH());
    if (state === Confirmed) soon(this, Confirmed, () => this.timerI());
    enter(this, state);
  },
  dispose(this: Open) {
    this.stopProgressExtensionTimer();
    this.stopWaiting?.();
  },
  startProgressExtensionTimer(this: Open) {
    this.stopExtending ??= after(lengths.PROVISIONAL_RESPONSE_INTERVAL, () => {
      this.stopExtending = undefined;
      this.startProgressExtensionTimer();
      this.send(this.lastProvisionalResponse ?? "").catch(() => {});
    });
  },
  stopProgressExtensionTimer(this: Open) {
    this.stopExtending?.();
    this.stopExtending = undefined;
  },
};

const inviteClient = {
  stateTransition(this: With<"timerD" | "timerM">, state: TransactionState) {
    this.stopWaiting?.();
    if (state === Completed) soon(this, Completed, () => this.timerD());
    if (state === Accepted) this.stopWaiting = after(lengths.TIMER_M, () => this.timerM());
    enter(this, state);
  },
  dispose(this: Open) {
    this.stopWaiting?.();
  },
};

const otherServer = {
  stateTransition(this: With<"timerJ">, state: TransactionState) {
    if (state === Completed) soon(this, Completed, () => this.timerJ());
    enter(this, state);
  },
  dispose() {},
};

const otherClient = {
  stateTransition(this: With<"timerK">, state: TransactionState) {
    if (state === Completed || state === Terminated) this.stopWaiting?.();
    if (state === Completed) soon(this, Completed, () => this.timerK());
    enter(this, state);
  },
  dispose(this: Open) {
    this.stopWaiting?.();
  },
};

/** Protected members of a dialog, and the stop of the repeats of its 2xx. */
interface OpenDialog {
  readonly initialTransaction: unknown;
  readonly ackWait: boolean;
  readonly delegate: SessionDialog["delegate"];
  stopRepeats?: (() => void) | undefined;
  bye(): void;
}

/**
 * Repeats the 2xx of a dialog until its ACK; the end of its transaction ends that (RFC 3261
 * §13.3.1.4).
 */
function start2xxRetransmissionTimer(this: OpenDialog): void {
  const transaction = this.initialTransaction;
  if (!(transaction instanceof InviteServerTransaction)) return;
  const repeatAfter = (ms: number) => {
    this.stopRepeats = after(ms, () => {
      if (!this.ackWait) return;
      transaction.retransmitAcceptedResponse();
      repeatAfter(Math.min(2 * ms, lengths.T2));
    });
  };
  repeatAfter(lengths.T1);
  const onState = () => {
    if (transaction.state !== Terminated) return;
    transaction.removeStateChangeListener(onState);
    this.stopRepeats?.();
    if (!this.ackWait) return;
    if (this.delegate?.onAckTimeout === undefined) this.bye();
    else this.delegate.onAckTimeout();
  };
  transaction.addStateChangeListener(onState);
}

const { dispose } = SessionDialog.prototype;

function disposeDialog(this: OpenDialog): void {
  dispose.call(this as never);
  this.stopRepeats?.();
}
