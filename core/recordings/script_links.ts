import type { Script } from "../protocol/script.ts";
import { linkTo } from "./link.ts";

type Ports = Parameters<typeof linkTo>[1];
type Step = Script[number];

/**
 * A script in which links stand for addresses of the account's recordings that ask for credentials: whoever
 * plays a file, or reads an e-mail, has none. Addresses of other accounts stay as they are.
 */
export async function withAudioLinks(
  script: Script,
  accountSid: string,
  ports: Ports,
): Promise<Script> {
  const linked = linker(accountSid, ports);
  const played = async <T extends { type: string }>(step: T): Promise<T> =>
    step.type === "play" && "url" in step ? { ...step, url: await linked(String(step.url)) } : step;
  return await Promise.all(script.map(async (step): Promise<Step> => {
    if (step.type === "gather") {
      return { ...step, prompts: await Promise.all(step.prompts.map(played)) };
    }
    if (step.type !== "note") return await played(step);
    const { kind, body } = step.serviceContext ?? {};
    if (kind !== "email" || typeof body !== "string") return step;
    return { ...step, serviceContext: { ...step.serviceContext, body: await linked(body) } };
  }));
}

/** A recording's path without a signature, at either interface. */
const audioPath =
  /\/(?:2010-04-01|2012-04-24)\/Accounts\/(AC[0-9a-f]{32})\/Recordings\/(RE[0-9a-f]{32})(?:\.(?:wav|mp3))?(?![\w?/]|\.(?:wav|mp3))/g;

/** Puts links in place of the addresses in a text. */
function linker(accountSid: string, ports: Ports): (text: string) => Promise<string> {
  const { baseUrl } = ports.settings;
  return async (text) => {
    const parts: string[] = [];
    let end = 0;
    for (const { 0: path, 1: owner, 2: sid = "", index } of text.matchAll(audioPath)) {
      const start = index - baseUrl.length;
      if (owner !== accountSid || start < end || !text.startsWith(baseUrl, start)) continue;
      parts.push(text.slice(end, start), await linkTo({ accountSid, sid }, ports));
      end = index + path.length;
    }
    return parts.join("") + text.slice(end);
  };
}
