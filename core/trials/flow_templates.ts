import type { Flow } from "../model/flows/steps.ts";

/** A flow to begin with. */
export interface FlowTemplate {
  /** Name in the address of the page. */
  id: string;
  title: string;
  lead: string;
  flow: Flow;
}

const goodbye = { type: "say", text: "Goodbye." } as const;

/** The flows that the designer offers for a new one; each is complete except for its callees. */
export const flowTemplates: readonly FlowTemplate[] = [
  {
    id: "menu",
    title: "Menu",
    lead: "Keys lead to people, and whoever presses none hears the menu again.",
    flow: {
      start: "menu",
      variables: { tries: "1" },
      steps: {
        menu: {
          type: "gather",
          prompts: [{ say: "Press 1 for sales, or 2 for support." }],
          numDigits: 1,
          timeout: 5,
          branches: [{ digits: "1", next: "sales" }, { digits: "2", next: "support" }],
          noInput: "again",
          next: "again",
        },
        again: {
          type: "control",
          conditions: [{ variable: "tries", is: "equal", value: "2", next: "goodbye" }],
          next: "count",
        },
        count: { type: "control", set: { tries: "2" }, next: "menu" },
        sales: {
          type: "dial",
          to: [{ client: "sales" }],
          timeout: 20,
          onFailure: "busy",
        },
        support: {
          type: "dial",
          to: [{ client: "support" }],
          timeout: 20,
          onFailure: "busy",
        },
        busy: { type: "say", text: "Nobody can take your call now.", next: "goodbye" },
        goodbye,
      },
    },
  },
  {
    id: "voice-mail",
    title: "Voice mail",
    lead: "Takes a message after a beep, and mails where to hear it.",
    flow: {
      start: "greeting",
      steps: {
        greeting: {
          type: "say",
          text: "Nobody can take your call now. Leave a message after the beep.",
          next: "message",
        },
        message: { type: "record", maxLength: 120, playBeep: true, next: "mail" },
        mail: {
          type: "email",
          from: "voicemail@example.com",
          to: "desk@example.com",
          subject: "Message from $From",
          text: "$From left a message: $RecordingUrl",
          next: "goodbye",
        },
        goodbye,
      },
    },
  },
  {
    id: "opening-hours",
    title: "Opening hours",
    lead:
      "Rings somebody from Monday to Friday between 9 and 17 o'clock, and takes a message else.",
    flow: {
      start: "hours",
      timeZone: "Europe/Berlin",
      steps: {
        hours: {
          type: "control",
          conditions: [
            { variable: "Weekday", is: "greater", value: "5", next: "closed" },
            { variable: "LocalTime", is: "less", value: "09:00", next: "closed" },
            { variable: "LocalTime", is: "less", value: "17:00", next: "ring" },
          ],
          next: "closed",
        },
        ring: { type: "dial", to: [{ client: "alice" }], timeout: 20, onFailure: "closed" },
        closed: {
          type: "say",
          text: "We are open from Monday to Friday, from 9 to 17. Leave a message after the beep.",
          next: "message",
        },
        message: { type: "record", maxLength: 120, playBeep: true, next: "goodbye" },
        goodbye,
      },
    },
  },
  {
    id: "ring-group",
    title: "Ring group",
    lead: "Rings several phones at once, and takes a message when nobody answers.",
    flow: {
      start: "ring",
      steps: {
        ring: {
          type: "dial",
          to: [{ client: "alice" }, { client: "bob" }],
          timeout: 20,
          onFailure: "sorry",
        },
        sorry: {
          type: "say",
          text: "Nobody answers. Leave a message after the beep.",
          next: "message",
        },
        message: { type: "record", maxLength: 120, playBeep: true, next: "goodbye" },
        goodbye,
      },
    },
  },
  {
    id: "queue",
    title: "Queue",
    lead: "Callers wait with music and hear their place; whoever calls from a Client is an agent " +
      "and takes them one after the other.",
    flow: {
      start: "who",
      steps: {
        who: {
          type: "control",
          conditions: [{ variable: "From", is: "startingWith", value: "client:", next: "agent" }],
          next: "greeting",
        },
        greeting: {
          type: "say",
          text: "Welcome. The next free agent takes your call.",
          next: "wait",
        },
        wait: {
          type: "enqueue",
          queue: "support",
          prompts: [{
            say: "You are number $QueuePosition in the queue. Press star to leave a message.",
          }],
          musicS: 30,
          leaveKey: "*",
          maxWait: 900,
          onLeave: "sorry",
          onFull: "sorry",
          onError: "sorry",
          next: "goodbye",
        },
        sorry: {
          type: "say",
          text: "Leave a message after the beep, and we call you back.",
          next: "message",
        },
        message: { type: "record", maxLength: 120, playBeep: true, next: "goodbye" },
        goodbye,
        agent: {
          type: "dial",
          to: [{ queue: "support" }],
          timeout: 300,
          onFailure: "nobody",
          next: "agent",
        },
        nobody: { type: "say", text: "Nobody is waiting.", next: "agent" },
      },
    },
  },
];
