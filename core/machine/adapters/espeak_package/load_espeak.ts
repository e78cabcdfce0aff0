/** The folder with the package and its licence, from the root of the repository. */
export const espeakFolder = "core/machine/adapters/espeak_package";

/** True when the package was downloaded. */
export async function isEspeakThere(): Promise<boolean> {
  const folder = new URL("./node_modules/@echogarden/espeak-ng-emscripten", import.meta.url);
  try {
    return (await Deno.stat(folder)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Loads espeak-ng as the npm package that `deno.json` beside this file names, which has no types.
 * It is GPL-3, so it is no package of the product: it has its own `deno.json`, lock and
 * `node_modules`, and is missing where ESPEAK_PACKAGE is false or a program speaks. Rejects where
 * it is missing.
 */
export const loadEspeak = async () => await import("@echogarden/espeak-ng-emscripten");
