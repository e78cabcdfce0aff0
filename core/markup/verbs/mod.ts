import type { AnySharedVerb, AnyVerb } from "../verb.ts";
import { connect } from "./connect.ts";
import { dial } from "./dial.ts";
import { echo } from "./echo.ts";
import { email } from "./email.ts";
import { enqueue } from "./enqueue.ts";
import { gather } from "./gather.ts";
import { geolocation } from "./geolocation.ts";
import { hangup } from "./hangup.ts";
import { leave } from "./leave.ts";
import { message } from "./message.ts";
import { promptVerbs } from "./prompts.ts";
import { record } from "./record.ts";
import { redirect } from "./redirect.ts";
import { refer } from "./refer.ts";
import { reject } from "./reject.ts";
import { sms } from "./sms.ts";
import { start } from "./start.ts";
import { stop } from "./stop.ts";

const shared: readonly AnySharedVerb[] = [email, message, redirect, sms];
const ofCalls: readonly AnyVerb[] = [
  ...promptVerbs,
  connect,
  dial,
  echo,
  enqueue,
  gather,
  geolocation,
  hangup,
  leave,
  record,
  refer,
  reject,
  start,
  stop,
];

/** Every verb that calls perform, by name. */
export const verbs = new Map<string, AnyVerb>(
  [...shared, ...ofCalls].map((verb) => [verb.name, verb]),
);

/** Every verb that an answer to a message may hold, by name. */
export const messageVerbs = new Map<string, AnySharedVerb>(
  shared.map((verb) => [verb.name, verb]),
);
