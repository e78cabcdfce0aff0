import assert from "node:assert/strict";
import { enginesLine } from "../../../../core/machine/adapters/speech/engines_line.ts";

const none = { speech: null, recognition: null };

Deno.test("enginesLine() names what speaks and recognises, providers first and without credentials", () => {
  const engines = { speech: { name: "espeak-ng" }, recognition: { name: "pocketsphinx" } };
  const SPEECH_URL = "https://user:secret@speech.test/v1";
  const RECOGNITION_URL = "http://hears.test:9000/v1";
  const unset = { SPEECH_URL: "", RECOGNITION_URL: "" };

  assert.equal(
    enginesLine(engines, unset),
    "Text-to-speech: espeak-ng. Speech recognition: pocketsphinx",
  );
  assert.equal(
    enginesLine({ ...none, speech: engines.speech }, { ...unset, RECOGNITION_URL }),
    "Text-to-speech: espeak-ng. Speech recognition: http://hears.test:9000",
  );
  assert.equal(
    enginesLine(none, { SPEECH_URL, RECOGNITION_URL }),
    "Text-to-speech: https://speech.test. Speech recognition: http://hears.test:9000",
  );
  assert.match(enginesLine(none, unset), /off \(.*SPEECH_URL\).*off \(.*RECOGNITION_URL\)$/);
});
