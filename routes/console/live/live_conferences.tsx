import type { Row } from "../frame/api.ts";
import { Act, Empty, Status, Time } from "../frame/parts.tsx";
import { Table } from "../frame/table.tsx";
import { type Around, CallLink, Meter, partyOf } from "./live_parts.tsx";

/** A conference with the calls in it. */
export interface Held {
  conference: Row;
  participants: Row[];
}

interface ConferencesProps extends Around {
  conferences: Held[];
  /** The calls in progress. */
  calls: Row[];
}

/** The conferences, each with its participants and actions on them. */
export const Conferences = ({ conferences, calls, below, csrf }: ConferencesProps) => (
  <>
    {conferences.length === 0 && (
      <section class="card">
        <h2>Conferences</h2>
        <Empty>No conference is held.</Empty>
      </section>
    )}
    {conferences.map(({ conference, participants }) => {
      const to = `${below}/live/Conferences/${conference.sid}`;
      const name = String(conference.friendly_name);
      return (
        <section class="card">
          <div class="heading-row">
            <h2>
              Conference <a href={`${below}/Conferences/${conference.sid}`}>{name}</a>{" "}
              <Status value={conference.status} />
            </h2>
            <div class="actions">
              <a class="button quiet" href={`${to}/listen`}>
                Listen<span class="hidden">to {name}</span>
              </a>
              <Act
                to={`${to}/end`}
                csrf={csrf}
                label="End conference"
                look="quiet"
                confirm={`End ${name} for all?`}
                about={name}
              />
            </div>
          </div>
          {participants.length === 0 ? <Empty>Nobody is in it yet.</Empty> : (
            <Table
              caption={`Participants of ${name}`}
              rows={participants}
              columns={participantColumns({ to, calls, below, csrf })}
            />
          )}
        </section>
      );
    })}
  </>
);

const participantColumns = (
  { to, calls, below, csrf }: Around & { to: string; calls: Row[] },
) => [
  {
    title: "Participant",
    cell: ({ call_sid }: Row) => <CallLink sid={call_sid} calls={calls} below={below} />,
  },
  {
    title: "Heard",
    cell: ({ muted, hold }: Row) => (
      <span class={`status ${hold ? "wait" : muted ? "wait" : "live"}`}>
        {hold ? "on hold" : muted ? "muted" : "heard"}
      </span>
    ),
  },
  {
    title: "Volume",
    cell: ({ call_sid }: Row) => <Meter sid={call_sid} about={partyOf(call_sid, calls)} />,
  },
  { title: "Joined", cell: ({ date_created }: Row) => <Time at={date_created} /> },
  {
    title: "Actions",
    cell: ({ call_sid, muted, hold }: Row) => {
      const deed = (name: string, label: string) => (
        <Act
          to={`${to}/Participants/${call_sid}/${name}`}
          csrf={csrf}
          label={label}
          look="quiet"
          about={String(call_sid)}
        />
      );
      return (
        <span class="actions">
          {muted ? deed("unmute", "Unmute") : deed("mute", "Mute")}
          {hold ? deed("unhold", "Resume") : deed("hold", "Hold")}
          {deed("remove", "Remove")}
        </span>
      );
    },
  },
];
