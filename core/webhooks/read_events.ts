/** A server-sent event. */
export interface SentEvent {
  /** Its name; "message" unless it has one. */
  name: string;
  /** The id of the last event that had one. */
  id: string;
  data: string;
}

/**
 * Reads server-sent events (the HTML standard, 9.2.6), as they come. A comment is no event; `alive` is
 * called with each chunk.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  alive = () => {},
): AsyncGenerator<SentEvent> {
  let rest = "";
  let [name, id, data] = ["", "", ""];
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    alive();
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (data !== "") yield { name: name || "message", id, data: data.slice(0, -1) };
        [name, data] = ["", ""];
        continue;
      }
      const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === "event") name = value;
      else if (field === "data") data += `${value}\n`;
      else if (field === "id" && !value.includes("\0")) id = value;
    }
  }
}
