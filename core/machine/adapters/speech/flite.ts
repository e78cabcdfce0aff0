import { type SpeechEngine, SpeechRefusal } from "./engine.ts";
import { readWav } from "./read_wav.ts";
import { runProgram } from "./run_program.ts";

const voices = new Map([
  ["woman", "slt"],
  ["man", "rms"],
  ...["awb", "kal", "kal16", "rms", "slt"].map((name) => [name, name] as const),
]);

/** The program flite, which speaks English. It writes to a file in `directory`, as it needs to seek. */
export const fliteProgram = (directory: string): SpeechEngine => ({
  name: "flite",
  async speak({ text, voice, language, speed }, signal) {
    const name = voices.get(voice);
    if (name === undefined) {
      throw new SpeechRefusal(
        `Cannot speak with the voice "${voice}": flite has ${[...voices.keys()].join(", ")}`,
      );
    }
    if (!/^en\b/i.test(language)) {
      throw new SpeechRefusal(`Cannot speak "${language}": flite knows English only`);
    }
    const file = `${directory}/${crypto.randomUUID()}.tmp`;
    const stretch = `duration_stretch=${(1 / speed).toFixed(3)}`;
    try {
      await runProgram("flite", {
        args: ["-voice", name, "--setf", stretch, "-f", "/dev/stdin", "-o", file],
        input: new TextEncoder().encode(text),
        maxBytes: 64 << 10,
        signal,
      });
      return readWav(await Deno.readFile(file));
    } finally {
      await Deno.remove(file).catch(() => {});
    }
  },
});
