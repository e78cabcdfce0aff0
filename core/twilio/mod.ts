import type { AnyNoun } from "./noun.ts";
import { applications } from "./applications.ts";
import { calls } from "./calls.ts";
import { messages } from "./messages.ts";
import { callNotifications, notifications } from "./notifications.ts";

/** Every noun of this interface; of two whose paths fit a request, the first answers. */
export const nouns: readonly AnyNoun[] = [
  applications,
  calls,
  callNotifications,
  messages,
  notifications,
];
