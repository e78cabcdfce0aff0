import type { z } from "zod";
import type { AnyNoun } from "../noun.ts";
import { connectNouns } from "./connect.ts";
import { conferenceAttributes } from "../conference.ts";
import { nounAttributes, numberAttributes, sipAttributes, uriAttributes } from "./dial_nouns.ts";
import { languageAttributes } from "../conversation_relay.ts";
import { geofenceAttributes } from "./geolocation.ts";
import { verbs } from "./mod.ts";
import { queueAttributes } from "../queue.ts";
import { startNouns } from "./start.ts";
import { parameterAttributes } from "../stream.ts";
import { stopNouns } from "./stop.ts";
import { collectAttributes } from "./ussd_collect.ts";

/** An element of the markup: its attributes, and what stands inside it. */
export interface MarkupElement {
  attributes: Record<string, z.ZodType>;
  /** Names of elements; a text by default, nothing where it is empty. */
  contents?: string[];
}

const namesOf = (nouns: readonly AnyNoun[]) => nouns.map(({ name }) => name);

const contents: Record<string, string[]> = {
  Dial: ["Client", "Number", "Sip", "Conference", "Queue"],
  Gather: ["Say", "Play", "Pause"],
  Geolocation: ["Immediate", "Notification"],
  Refer: ["Sip"],
  Message: ["Body"],
  Connect: namesOf(connectNouns),
  Start: namesOf(startNouns),
  Stop: namesOf(stopNouns),
};

/** Verbs that have no text either. */
const empty = ["Pause", "Echo", "Hangup", "Leave", "Record", "Reject"];

/** The verbs of USSD dialogues alone. */
export const ussdElements: Record<string, MarkupElement> = {
  Language: { attributes: {} },
  UssdMessage: { attributes: {} },
  UssdCollect: { attributes: collectAttributes, contents: ["UssdMessage", "Language"] },
};

/** Every element of documents, by name; verbs come first. */
export const elements: Record<string, MarkupElement> = {
  ...Object.fromEntries(
    [...verbs].map(([name, { attributes }]) => {
      const inside = empty.includes(name) ? [] : contents[name];
      return [name, { attributes, ...inside && { contents: inside } }];
    }),
  ),
  ...ussdElements,
  // Of a noun that several have, the declaration with the most attributes comes last and counts.
  ...Object.fromEntries(
    [...stopNouns, ...startNouns, ...connectNouns].map((
      { name, attributes, contents },
    ) => [name, { attributes, ...contents && { contents } }]),
  ),
  Client: { attributes: nounAttributes }, // Or Identity and Parameter, as Twilio's helpers write.
  Identity: { attributes: {} },
  Headers: { attributes: {}, contents: ["Header"] },
  Header: { attributes: parameterAttributes, contents: [] },
  Uri: { attributes: uriAttributes },
  Language: { attributes: languageAttributes }, // Of ConversationRelay; that of USSD has a text.
  Parameter: { attributes: parameterAttributes, contents: [] },
  Number: { attributes: numberAttributes },
  Sip: { attributes: sipAttributes },
  Conference: { attributes: conferenceAttributes },
  Queue: { attributes: queueAttributes },
  Body: { attributes: {} },
  Immediate: { attributes: {}, contents: [] },
  Notification: { attributes: geofenceAttributes, contents: [] },
};

/** The names of the elements that stand in `Response`. */
export const topElements: string[] = [...verbs.keys(), ...Object.keys(ussdElements)];
