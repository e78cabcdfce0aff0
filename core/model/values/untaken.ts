/** A route did not take a message, and surely handed nothing over: the next route may. */
export class Untaken extends Error {
  override readonly name = "Untaken";
}
