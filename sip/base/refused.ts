/** The peer said no to a request in a dialog, or there is a reason to say no to one of its. */
export class Refused extends Error {
  override readonly name = "Refused";
  /** `minSeS` is the least session interval that a 422 demanded (RFC 4028 §5). */
  constructor(what: string, readonly status: number, readonly minSeS = 0) {
    super(`Cannot ${what}: ${status}`);
  }
}

/** The peer knows nothing of the dialog, or does not answer any more (RFC 3261 §12.2.1.2). */
export const endsDialog = (error: unknown): boolean =>
  error instanceof Refused && (error.status === 408 || error.status === 481);

/** The status by which a refusal is passed on: never one that would end the other dialog too. */
export function statusToPass(error: unknown): number {
  if (!(error instanceof Refused)) return 488;
  return endsDialog(error) || error.status < 400 ? 500 : error.status;
}
