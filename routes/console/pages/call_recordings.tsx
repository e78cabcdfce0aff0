import { seconds, Sid, Status } from "../frame/parts.tsx";
import type { WholeCall } from "./call_parts.ts";

/** Seconds of the longest recording that a page draws: it has to hold all of its audio. */
const mostWaveS = 900;

/** The recordings of a call with a player each, and what was said in them. */
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
          <audio
            controls
            preload="none"
            src={`${below}/Recordings/${one.sid}/audio`}
            aria-label={`Recording ${at + 1}`}
            data-wave={Number(one.duration) <= mostWaveS ? "" : undefined}
          />
        )}
        {transcriptions.filter(({ recording_sid }) => recording_sid === one.sid).map((said) => (
          <blockquote>{String(said.transcription_text ?? said.status)}</blockquote>
        ))}
      </div>
    ))}
  </section>
);
