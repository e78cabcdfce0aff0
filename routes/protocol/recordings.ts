import { recordingPart } from "../../core/protocol/recordings.ts";
import type { Ports } from "../../core/ports/ports.ts";
import { takePart } from "../../core/recordings/take_part.ts";

/** What companions tell the service about recordings; gives null for what it cannot read. */
export const recordingHandlers = (ports: Ports) => ({
  async recording(content: unknown) {
    const { data } = recordingPart.safeParse(content);
    return data === undefined ? null : { isWanted: await takePart(data, ports) };
  },
});
