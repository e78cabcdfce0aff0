/** Error of a route that surely did not hand a message over: the next route may. */
export class Untaken extends Error {
  override readonly name = "Untaken";
}

/**
 * Error of a message that a server may have accepted without confirming it: no other server may get
 * it.
 */
export class MaybeTaken extends Error {
  override readonly name = "MaybeTaken";

  constructor(message: string, readonly heldBy: string) {
    super(message);
  }
}
