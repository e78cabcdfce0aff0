import type { AnyVerb } from "../verb.ts";
import { dial } from "./dial.ts";
import { echo } from "./echo.ts";
import { enqueue } from "./enqueue.ts";
import { gather } from "./gather.ts";
import { hangup } from "./hangup.ts";
import { leave } from "./leave.ts";
import { promptVerbs } from "./prompts.ts";
import { record } from "./record.ts";
import { redirect } from "./redirect.ts";
import { refer } from "./refer.ts";
import { reject } from "./reject.ts";

/** Every verb that calls perform, by name. */
export const verbs = new Map<string, AnyVerb>(
  [...promptVerbs, dial, echo, enqueue, gather, hangup, leave, record, redirect, refer, reject]
    .map((verb) => [verb.name, verb]),
);
