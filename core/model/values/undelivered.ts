/** Error of a route that surely did not hand a message over: the next route may. */
export class Undelivered extends Error {
  override readonly name = "Undelivered";
}

/**
 * Error of a message that a server may have accepted without confirming it: no other server may get
 * it.
 */
export class MaybeDelivered extends Error {
  override readonly name = "MaybeDelivered";

  constructor(message: string, readonly heldBy: string) {
    super(message);
  }
}
