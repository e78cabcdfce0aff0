import type { Row } from "../frame/api.ts";
import { seconds, Sid, Status } from "../frame/parts.tsx";
import type { WholeCall } from "./call_parts.ts";

/** Seconds of the longest recording that a page draws: it has to hold all of its audio. */
const mostWaveS = 900;

/** The player of a recording; a script draws its waveform. */
export const Player = ({ row, below, name }: { row: Row; below: string; name: string }) => (
  <audio
    controls
    preload="none"
    src={`${below}/Recordings/${row.sid}/audio`}
    aria-label={name}
    data-wave={Number(row.duration) <= mostWaveS ? "" : undefined}
  />
);

/** The recordings of a call with a player each, and their transcriptions. */
export const Recordings = (
  { recordings, transcriptions, below }: WholeCall & { below: string },
) => (
  <section class="card">
    <h2>Recordings</h2>
    {recordings.map((one, at) => (
      <div class="recording">
        <p>
          <Sid sid={one.sid} below={below} label={`Recording ${at + 1}`} /> {seconds(one.duration)}
          {" "}
          <Status value={one.status} />
        </p>
        {one.status === "completed" && (
          <Player row={one} below={below} name={`Recording ${at + 1}`} />
        )}
        {transcriptions.filter(({ recording_sid }) => recording_sid === one.sid).map((said) => (
          <blockquote>{String(said.transcription_text ?? said.status)}</blockquote>
        ))}
      </div>
    ))}
  </section>
);
