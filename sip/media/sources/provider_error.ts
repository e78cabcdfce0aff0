import { readBody } from "./read_body.ts";

/** Error body of a provider in the OpenAI form. */
export async function providerError(response: Response): Promise<string> {
  const text = await readBody(response, 16 << 10).then((bytes) => new TextDecoder().decode(bytes))
    .catch(() => "");
  const told = messageIn(text)?.slice(0, 300);
  return told === undefined
    ? `its status is ${response.status}`
    : `${told} (status ${response.status})`;
}

function messageIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text);
    return typeof error?.message === "string" ? error.message : undefined;
  } catch {
    return undefined;
  }
}
