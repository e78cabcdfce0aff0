import { z } from "zod";
import { action } from "./action.ts";

/**
 * The part of the call-control protocol (`companion.ts`) about steps of a script that the service
 * itself performs.
 */

/** The service's own notes, handed back untouched. */
const serviceContext = z.record(z.string(), z.unknown());

/**
 * Returns its `serviceContext` when the script has come to it; the service then performs the note.
 * With an action the report brings the next script; without one the script goes on at once.
 */
export const noteStep = z.object({
  type: z.literal("note"),
  serviceContext,
  action: action.optional(),
});

/** A script has come to a `note`. */
export const notedEvent = z.object({
  type: z.literal("noted"),
  serviceContext,
  action: action.optional(),
});

export type NoteStep = z.infer<typeof noteStep>;
export type NotedEvent = z.infer<typeof notedEvent>;
