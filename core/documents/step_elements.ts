import { limits } from "../base/limits.ts";
import type { Element } from "../markup/parse.ts";
import { flowUrl } from "../model/flows/address.ts";
import { expand, expandUrl, type Variables } from "../model/flows/expand.ts";
import type { FlowStep, StepOf, StepType } from "../model/flows/steps.ts";

/** State of a flow at a step. */
export interface FlowState {
  applicationSid: string;
  name: string;
  /** Variables for the next document. */
  variables: Variables;
  /** All variables of the step. */
  known: Variables;
  /** A USSD text waits for what follows to be shown with: no result may come between. */
  isPending: boolean;
  /** Notes what cannot be performed, for a Notification. */
  skip(what: string): void;
}

/** Steps that become markup by themselves; the others decide where to go on. */
export type Performed = Exclude<StepType, "externalService" | "control">;

type Attribute = string | number | boolean | undefined;

function element(
  name: string,
  attributes: Record<string, Attribute>,
  inside: string | Element[] = "",
): Element {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return {
    name,
    attributes: Object.fromEntries(given.map(([key, value]) => [key, String(value)])),
    children: typeof inside === "string" ? [] : inside,
    text: typeof inside === "string" ? inside : "",
  };
}

/** Goes on with a step of the flow: at its beginning, or as after it when it brought nothing. */
export const goTo = (
  { applicationSid, variables }: Pick<FlowState, "applicationSid" | "variables">,
  step: string,
  phase: "begin" | "empty" = "begin",
): Element =>
  element("Redirect", {}, flowUrl({ applicationSid, step, phase, variables: { ...variables } }));

/** The action URL of a step's result. */
const resultAt = ({ applicationSid, name, variables }: FlowState): string =>
  flowUrl({ applicationSid, step: name, phase: "done", variables: { ...variables } });

/** The verbs that a step is. One with a result has an action that leads back to it. */
export function elementsOf(step: FlowStep & { type: Performed }, standing: FlowState): Element[] {
  return writers[step.type](step as never, standing);
}

type Writer<T extends StepType> = (step: StepOf<T>, standing: FlowState) => Element[];

const writers: { readonly [T in Performed]: Writer<T> } = {
  say: ({ text, voice, language, loop }, { known }) => [
    element("Say", { voice, language, loop }, expand(text, known)),
  ],
  play: ({ url, loop }, standing) =>
    withUrl(url, standing, (href) => [element("Play", { loop }, href)]),
  gather(step, standing) {
    const { numDigits, timeout, finishOnKey, input, language, hints, prompts } = step;
    const attributes = {
      numDigits,
      timeout,
      finishOnKey,
      language,
      input: input?.join(" "),
      hints: hints?.join(","),
      action: resultAt(standing),
    };
    return [
      element("Gather", attributes, promptsOf(prompts, standing)),
      goTo(standing, standing.name, "empty"),
    ];
  },
  record({ timeout, finishOnKey, maxLength, playBeep, transcribe }, standing) {
    const rules = { timeout, finishOnKey, maxLength, playBeep, transcribe };
    return [
      element("Record", { ...rules, action: resultAt(standing) }),
      goTo(standing, standing.name, "empty"),
    ];
  },
  dial({ to, callerId, timeout, timeLimit, record }, standing) {
    const { known } = standing;
    const attributes = {
      callerId: callerId && expand(callerId, known),
      timeout,
      timeLimit,
      record,
      action: resultAt(standing),
    };
    const nouns = to.map((callee) => {
      const [[kind, text]] = Object.entries(callee) as [[string, string]];
      return element(kind.charAt(0).toUpperCase() + kind.slice(1), {}, expand(text, known));
    });
    return [element("Dial", attributes, nouns)];
  },
  enqueue(step, standing) {
    const { queue, maxSize, waitUrl } = step;
    const url = waitUrl === undefined ? undefined : addressOf(waitUrl, standing);
    const attributes = {
      waitUrl: url?.href ?? (isAnnounced(step) ? waitAt(standing) : undefined),
      maxQueueSize: maxSize,
      action: resultAt(standing),
    };
    return [element("Enqueue", attributes, expand(queue, standing.known))];
  },
  ussdMessage: ({ text }, { known }) => [
    element("UssdMessage", {}, expand(text, known)),
  ],
  ussdCollect: ({ text }, standing) => [
    element("UssdCollect", { action: resultAt(standing) }, [
      element("UssdMessage", {}, expand(text, standing.known)),
    ]),
  ],
  sms({ to, from, text }, standing) {
    const { known } = standing;
    const ends = { to: to && expand(to, known), from: from && expand(from, known) };
    const action = standing.isPending ? undefined : resultAt(standing);
    return [element("Sms", { ...ends, action }, expand(text, known))];
  },
  email({ type: _, next: __, text, ...headers }, { known }) {
    const expanded = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, expand(value, known)]]
    );
    return [element("Email", Object.fromEntries(expanded), expand(text, known))];
  },
  redirect: ({ url, method }, standing) =>
    withUrl(url, standing, (href) => [element("Redirect", { method }, href)]),
  hangup: () => [element("Hangup", {})],
};

function promptsOf(prompts: StepOf<"gather">["prompts"] = [], standing: FlowState): Element[] {
  return prompts.flatMap(({ say, play, pauseS, voice, language }) => {
    if (say !== undefined) {
      return [element("Say", { voice, language }, expand(say, standing.known))];
    }
    if (pauseS !== undefined) return [element("Pause", { length: pauseS })];
    if (play === undefined) return [];
    return withUrl(play, standing, (href) => [element("Play", {}, href)]);
  });
}

/** True when the flow itself provides the audio of the queue of a step. */
const isAnnounced = ({ prompts, leaveKey, maxWait }: StepOf<"enqueue">): boolean =>
  prompts !== undefined || leaveKey !== undefined || maxWait !== undefined;

/** The document that a caller hears in the queue of a step. */
const waitAt = ({ applicationSid, name, variables }: FlowState): string =>
  flowUrl({ applicationSid, step: name, phase: "wait", variables: { ...variables } });

/**
 * The elements that a caller in the queue of a step hears next: prompts and music, or Leave.
 * `params` has the place in the queue and the keys that were pressed.
 */
export function waitElements(
  step: StepOf<"enqueue">,
  params: Variables,
  standing: FlowState,
): Element[] {
  const { prompts, musicS = limits.queueMusicS, leaveKey, maxWait = Infinity } = step;
  const leftS = maxWait - Number(params.QueueTime ?? 0);
  const isKey = leaveKey !== undefined && params.Digits === leaveKey;
  if (isKey || leftS <= 0) return [element("Leave", {})];
  const said = promptsOf(prompts, standing);
  // A document without sounds would give way to endless music.
  const seconds = Math.min(said.length > 0 ? musicS : musicS || limits.queueMusicS, leftS);
  const music = seconds > 0 ? [element("Pause", { length: seconds, music: true })] : [];
  if (leaveKey === undefined) return [...said, ...music];
  const attributes = {
    numDigits: 1,
    timeout: 1,
    finishOnKey: "",
    startInputKey: leaveKey,
    action: waitAt(standing),
  };
  return [element("Gather", attributes, [...said, ...music])];
}

function withUrl(text: string, state: FlowState, use: (href: string) => Element[]): Element[] {
  const url = addressOf(text, state);
  return url === null ? [] : use(url.href);
}

/** The address of a text; null, with a note, for one that is no http or https address. */
function addressOf(text: string, { name, known, skip }: FlowState): URL | null {
  const url = expandUrl(text, known);
  if (url !== null) return url;
  skip(`step "${name}": "${expand(text, known).slice(0, 100)}" is no http or https address`);
  return null;
}
