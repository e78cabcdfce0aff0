import { logSettings } from "../../configuration/log_variables.ts";
import { enginesLine } from "./engines_line.ts";
import { log, setLog } from "../../process/log.ts";
import { serveHttp } from "../../net/http_server.ts";
import { netLimits } from "../../net/limits.ts";
import { createPlaces } from "../../net/places.ts";
import { type Config, readConfig } from "../../configuration/config.ts";
import {
  createFailure,
  fail,
  say,
  sayStarted,
  stopOnSignal,
  surviveBugs,
} from "../../process/process.ts";
import type { RecognitionEngine, SpeechEngine } from "./engine.ts";
import { espeakProgram } from "./espeak.ts";
import { isEspeakThere } from "../espeak_package/load_espeak.ts";
import { espeakNpm } from "./espeak_npm.ts";
import { fliteProgram } from "./flite.ts";
import { speechLimits } from "./limits.ts";
import { pocketsphinx } from "./pocketsphinx.ts";
import { isInstalled } from "./run_program.ts";
import { speechServer } from "./server.ts";
import { soundCache } from "./sound_cache.ts";

/**
 * The speech process: makes speech of text, and text of speech, with what is installed on this
 * machine. It listens on the loopback alone, and may run these programs and nothing else. Texts reach them
 * by standard input, never by a shell.
 *
 * Programs that transcribe recordings run at niceness 5, with places of their own for short and long ones,
 * so that no call waits for them.
 */
async function start(config: Config, onOver: (error: Error) => void) {
  const secret = config.SPEECH_SECRET;
  if (secret === "") throw new Error("Cannot start: SPEECH_SECRET is not set");
  const opened = Promise.withResolvers<ReturnType<typeof speechServer>>();
  const address = { hostname: "127.0.0.1", port: config.SPEECH_PORT };
  const options = {
    address: { ...address, name: "SPEECH_PORT" },
    places: createPlaces(netLimits.internalConnections),
    onOver,
    log,
  };
  const server = await serveHttp(options, async (request) => {
    const answer = await opened.promise; // Early requests wait until the engines are found.
    return await answer(request);
  });
  const directory = `${config.DATA_DIR}/speech`;
  const cache = await soundCache(directory, speechLimits.cacheBytes);
  const [speech, recognition] = await Promise.all([
    speechEngine(directory, config),
    recognitionEngine(directory),
  ]);
  opened.resolve(speechServer({ secret, speech, recognition, cache, log }));
  say(enginesLine({ speech, recognition }, config));
  sayStarted();
  return server;
}

/** The first there is; null where nothing is. */
async function speechEngine(
  directory: string,
  { ESPEAK_PACKAGE }: Config,
): Promise<SpeechEngine | null> {
  if (await isInstalled("espeak-ng")) return await espeakProgram();
  if (await isInstalled("flite")) return fliteProgram(directory);
  return ESPEAK_PACKAGE && await isEspeakThere() ? espeakNpm() : null;
}

const recognitionEngine = async (directory: string): Promise<RecognitionEngine | null> =>
  await isInstalled("pocketsphinx_continuous") ? pocketsphinx(directory) : null;

if (import.meta.main) {
  surviveBugs();
  try {
    const config = readConfig((name) => Deno.env.get(name));
    setLog({ process: "speech process", ...logSettings(config) });
    const over = createFailure();
    const server = await start(config, over.fail);
    over.endBy(stopOnSignal(() => server.shutdown(), 3_000));
  } catch (error) {
    fail(error);
  }
}
