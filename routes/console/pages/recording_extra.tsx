import type { Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { belowOf } from "../frame/render.tsx";
import { Player } from "./call_recordings.tsx";

/** The player of a recording, a link to its file, and its transcription. */
export async function recordingExtra(c: Page, row: Row, ports: Ports) {
  if (row.status !== "completed") return null;
  const { items } = await c.var.api.list(`Recordings/${row.sid}/Transcriptions`);
  return (
    <section class="card recording">
      <h2>Audio</h2>
      <Player row={row} below={belowOf(c, ports)} name="Recording" />
      {items.map((said) => <blockquote>{String(said.transcription_text ?? said.status)}
      </blockquote>)}
      {row.file_uri && (
        <p class="actions">
          <a class="button" href={String(row.file_uri)} download="">Download as WAV</a>
        </p>
      )}
    </section>
  );
}
