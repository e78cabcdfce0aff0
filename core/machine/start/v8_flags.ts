/**
 * Flags of V8 on the runtime of this machine. The supervisor tries them on an empty program (30 ms), since
 * Deno ends a process over a flag that its V8 does not have. Without them calls cost more; a log line says
 * so.
 */
/**
 * The flags of a process that the runtime on this machine takes: all of them, or none when it refuses
 * one. Deno ends a process at its start over a flag that its V8 does not know, and V8 renames flags
 * between releases. Starts Deno once with an empty program, which takes some 30 ms.
 */
export async function acceptedFlags(flags: readonly string[]): Promise<readonly string[]> {
  if (flags.length === 0) return flags;
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", ...flags, "-"],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  return success ? flags : [];
}
