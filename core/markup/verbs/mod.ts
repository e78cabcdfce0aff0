import type { AnyVerb } from "../verb.ts";
import { dial } from "./dial.ts";
import { hangup } from "./hangup.ts";
import { pause } from "./pause.ts";
import { play } from "./play.ts";
import { record } from "./record.ts";
import { redirect } from "./redirect.ts";
import { reject } from "./reject.ts";

/** Every verb that calls perform, by name. */
export const verbs = new Map<string, AnyVerb>(
  [dial, hangup, pause, play, record, redirect, reject].map((verb) => [verb.name, verb]),
);
