import assert from "node:assert/strict";
import { readConfig } from "../../../../../core/machine/configuration/config.ts";
import {
  needsSpeechProcess,
  recognitionEndpoint,
  speechEndpoint,
  voiceNames,
} from "../../../../../core/machine/configuration/speech_endpoints.ts";

const configOf = (variables: Record<string, string>) => readConfig((name) => variables[name]);
const secret = "0123456789abcdef";
const local = { url: "http://127.0.0.1:7001", key: secret, model: "local", isLocal: true };

Deno.test("without a provider the speech process is asked, by whoever knows its secret", () => {
  const config = configOf({ SPEECH_PORT: "7001", SPEECH_SECRET: secret });
  assert.deepEqual([speechEndpoint(config), recognitionEndpoint(config)], [local, local]);
  assert.equal(needsSpeechProcess(config), true);
  assert.deepEqual([...voiceNames(config)], []);

  const alone = configOf({});
  assert.deepEqual([speechEndpoint(alone), recognitionEndpoint(alone)], [null, null]);
});

Deno.test("a provider is asked with its own key and model, with or without its version", () => {
  const own = { SPEECH_URL: "https://voice.test/v1/", SPEECH_KEY: "k", SPEECH_MODEL: "m" };
  const half = configOf({ ...own, SPEECH_PORT: "7001", SPEECH_SECRET: secret });
  assert.deepEqual(speechEndpoint(half), {
    url: "https://voice.test",
    key: "k",
    model: "m",
    isLocal: false,
  });
  assert.deepEqual(recognitionEndpoint(half), local);
  assert.equal(needsSpeechProcess(half), true);

  const ears = { RECOGNITION_URL: "http://ears.test/api", RECOGNITION_KEY: "r" };
  const both = configOf({ ...own, ...ears, SPEECH_VOICES: "woman=Ada,man=af/Bo:1" });
  assert.deepEqual(recognitionEndpoint(both), {
    url: "http://ears.test/api",
    key: "r",
    model: "whisper-1",
    isLocal: false,
  });
  assert.equal(needsSpeechProcess(both), false);
  assert.deepEqual([...voiceNames(both)], [["woman", "Ada"], ["man", "af/Bo:1"]]);
});

Deno.test("errors of the variables of speech name the fault, and no secret", () => {
  const wrong = {
    SPEECH_URL: "ftp://x",
    SPEECH_SECRET: "short",
    SPEECH_VOICES: "woman",
    TRANSCRIPTION_PRICE: "much",
  };
  assert.throws(() => configOf(wrong), (error: Error) => {
    for (const name of Object.keys(wrong)) assert.match(error.message, new RegExp(`${name} must`));
    return !error.message.includes("short");
  });
});
