/**
 * Writes bytes to standard output or standard error. What cannot be written is lost, as where the
 * disk of the log is full: no request, call or process ends for want of a line.
 */
export function writeOut(to: Pick<typeof Deno.stdout, "writeSync">, bytes: Uint8Array): void {
  try {
    to.writeSync(bytes);
  } catch {
    // There is nowhere to say so.
  }
}
