import type { Prompt } from "../../protocol/gather.ts";
import type { Step } from "../../protocol/script.ts";
import type { State } from "./leg.ts";
import { simulationTimes as times } from "./times.ts";

type GatherStep = Extract<Step, { type: "gather" }>;

/** Input of a Gather: the keys or words of the called side, in their turn. */
export interface Input {
  keys: string | undefined;
  words: string | undefined;
}

export function inputOf({ keys, speech }: GatherStep, { behaviour, gathers }: State): Input {
  const pressed = keys === undefined ? undefined : behaviour.presses[gathers.keys];
  const said = speech === undefined || pressed !== undefined
    ? undefined
    : behaviour.says[gathers.words];
  return { keys: pressed || undefined, words: said || undefined };
}

/** Seconds that a step takes; Infinity until the leg ends. */
export function secondsOf(step: Step, state: State): number {
  switch (step.type) {
    case "play":
    case "say":
    case "silence":
    case "digits":
      return audibleS(step);
    case "echo":
      return step.seconds;
    case "gather":
      return gatherS(step, state);
    case "ussd":
      return step.collect ? times.inputS : 0;
    case "record":
      return Math.min(times.recordS, step.maxLengthS);
    case "refer":
      return times.referS;
    case "queue":
      return Infinity;
    case "pickup":
      return Math.min(times.talkS, step.timeLimitS);
    case "conference":
      return Math.min(times.conferenceS, step.timeLimitS);
    default:
      return 0;
  }
}

function audibleS(step: Prompt): number {
  if (step.type === "silence") return step.seconds;
  const once = step.type === "play"
    ? times.playS
    : step.type === "say"
    ? step.text.length * times.characterS
    : step.digits.length * times.keyS;
  return step.loop === 0 ? Infinity : once * step.loop;
}

function gatherS(step: GatherStep, state: State): number {
  const prompts = step.prompts.reduce((sum, prompt) => sum + audibleS(prompt), 0);
  const { keys, words } = inputOf(step, state);
  const hasInput = keys !== undefined || words !== undefined;
  if (!hasInput) return prompts + step.timeoutS;
  return step.bargeIn === false ? prompts + times.inputS : Math.min(prompts + 1, times.inputS);
}
