/** A route did not take a message, and surely handed nothing over: the next route may. */
export class Untaken extends Error {
  override readonly name = "Untaken";
}

/** A message that a server may have taken, though it did not say so: no other one may get it. */
export class MaybeTaken extends Error {
  override readonly name = "MaybeTaken";

  constructor(message: string, readonly heldBy: string) {
    super(message);
  }
}
