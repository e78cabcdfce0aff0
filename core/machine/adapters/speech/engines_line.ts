import type { Config } from "../../configuration/config.ts";

/** The engines of this process; null where nothing is installed. */
interface Engines {
  speech: { name: string } | null;
  recognition: { name: string } | null;
}

/** The line of the start that says by what is spoken and by what speech is recognised. */
export function enginesLine(
  { speech, recognition }: Engines,
  { SPEECH_URL, RECOGNITION_URL }: Pick<Config, "SPEECH_URL" | "RECOGNITION_URL">,
): string {
  const speaks = providerOf(SPEECH_URL) ?? speech?.name ??
    "off (install espeak-ng or set SPEECH_URL)";
  const recognises = providerOf(RECOGNITION_URL) ?? recognition?.name ??
    "off (install pocketsphinx or set RECOGNITION_URL)";
  return `Text-to-speech: ${speaks}. Speech recognition: ${recognises}`;
}

/** The address of a provider that is used in place of an engine; without its credentials. */
const providerOf = (url: string): string | undefined =>
  url === "" ? undefined : new URL(url).origin;
