/** Output of a program. Rejects with its standard error, unless it exits with 0. */
export async function run(program: string, args: string[], input = ""): Promise<string> {
  const child = new Deno.Command(program, {
    args,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")}: ${text(stderr)}${text(stdout)}`);
  return text(stdout);
}
