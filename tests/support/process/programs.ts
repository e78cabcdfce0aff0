/** Folders in which programs are searched. */
const folders = (Deno.env.get("PATH") ?? "").split(":").filter(Boolean);

const isFile = (path: string): boolean => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
};

/** The programs that are not installed, by their names on PATH or their paths. */
export const missingOf = (programs: readonly string[]): string[] =>
  programs.filter((program) =>
    program.includes("/")
      ? !isFile(program)
      : !folders.some((folder) => isFile(`${folder}/${program}`))
  );

/**
 * Options of `Deno.test` for a test that starts programs of others: `Deno.test({ ...needs("curl"),
 * … })`. It is skipped if one of them is not installed, unless `CI` is set: there it fails.
 */
export const needs = (...programs: readonly string[]): { ignore: boolean } => ({
  ignore: !Deno.env.has("CI") && missingOf(programs).length > 0,
});
