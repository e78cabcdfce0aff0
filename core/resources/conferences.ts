import { z } from "zod";
import { limits } from "../limits.ts";
import { type RecordOf, resource } from "../resource.ts";

/** A room in which the legs of calls hear each other. */
export const conferences = resource({
  type: "Conference",
  path: "Conferences",
  sidPrefix: "CF",
  fields: {
    friendlyName: z.string().min(1).max(limits.conferenceNameLength),
    status: z.enum(["init", "in-progress", "completed"]),
    apiVersion: z.string(),
  },
  filters: { friendlyName: "equals", status: "equals" },
  paged: true,
  subresources: ["Participants"],
});

export type Conference = RecordOf<typeof conferences>;
