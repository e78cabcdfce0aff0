import type { Child } from "hono/jsx";
import { recordPath } from "./links.ts";

/** Text in place of a missing value. */
export const None = () => <span class="soft none">–</span>;

/**
 * An instant in the viewer's zone: a script writes it so; without one it is in UTC. `part` shows the
 * day alone, the time of the day, or that with its seconds.
 */
export function Time({ at, part }: { at: unknown; part?: "day" | "time" | "clock" | undefined }) {
  const ms = typeof at === "number" ? at : Date.parse(String(at ?? ""));
  if (!Number.isFinite(ms)) return <None />;
  const iso = new Date(ms).toISOString();
  const text = part === "day"
    ? iso.slice(0, 10)
    : part === "time"
    ? `${iso.slice(11, 16)} UTC`
    : part === "clock"
    ? `${iso.slice(11, 19)} UTC`
    : `${iso.slice(0, 19).replace("T", " ")} UTC`;
  return <time datetime={iso} data-part={part}>{text}</time>;
}

/** The time that has passed since an instant, as 1:24; a script counts on. Times in ms. */
export function Running({ at, now }: { at: unknown; now: number }) {
  const since = Date.parse(String(at ?? ""));
  if (!Number.isFinite(since)) return <None />;
  const iso = new Date(since).toISOString();
  return (
    <time datetime={iso} data-running={String(now)} title={iso}>
      {clockOf(Math.max(0, now - since) / 1_000)}
    </time>
  );
}

const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");

/** Seconds as 1:24, or as 1:02:03 from an hour on. */
const clockOf = (total: number): string => {
  const [h, min, s] = [Math.floor(total / 3_600), Math.floor(total / 60) % 60, total % 60];
  return h === 0 ? `${min}:${two(s)}` : `${h}:${two(min)}:${two(s)}`;
};

/**
 * A Sid that leads to its record, where that has a page. `below` is the path of the account's
 * pages.
 */
export function Sid({ sid, below, label }: { sid: unknown; below: string; label?: string }) {
  if (typeof sid !== "string" || sid === "") return <None />;
  const path = recordPath(sid);
  if (path === undefined) return <code>{sid}</code>;
  return <a href={`${below}/${path}`} class={label ? undefined : "sid"}>{label ?? sid}</a>;
}

/** Look of a status: good, waiting, bad or neither. */
const looks: Record<string, string> = {
  "completed": "good",
  "delivered": "good",
  "registered": "good",
  "active": "good",
  "sent": "good",
  "received": "good",
  "successful": "good",
  "in-progress": "live",
  "live": "good",
  "draining": "wait",
  "lost": "bad",
  "ringing": "live",
  "queued": "wait",
  "retrying": "wait",
  "sending": "wait",
  "processing": "wait",
  "unregistered": "wait",
  "no-answer": "wait",
  "busy": "wait",
  "canceled": "wait",
  "suspended": "wait",
  "failed": "bad",
  "closed": "bad",
  "undelivered": "bad",
};

export function Status({ value }: { value: unknown }) {
  const text = String(value ?? "–");
  return <span class={`status ${looks[text] ?? ""}`}>{text.replaceAll("-", " ")}</span>;
}

/** Text of an empty list or region. */
export const Empty = ({ children }: { children?: Child }) => <p class="empty">{children}</p>;

/** Error message, beside the field or part that it is about. */
export const Problem = ({ children }: { children?: Child }) => (
  <p class="problem" tabindex={-1} role="alert">{children}</p>
);

/** A price with its currency, where the operator has set one. */
export const priced = (price: unknown, { currency }: { currency: string | null }): string =>
  currency === null ? String(price) : `${price} ${currency}`;

/** The heading of a page, with actions beside it. */
export const Heading = ({ title, kind, up, children }: {
  title: Child;
  /** Title of the page's subject. */
  kind?: Child;
  /** The address of the list that it is of: `kind` leads there. */
  up?: string;
  children?: Child;
}) => (
  <div class="heading-row">
    <div>
      {kind && <p class="kind">{up === undefined ? kind : <a href={up}>{kind}</a>}</p>}
      <h1>{title}</h1>
    </div>
    {children && <div class="actions">{children}</div>}
  </div>
);

/** Names and values. Those without a value are left out. */
export const Facts = ({ facts }: { facts: [name: string, value: Child][] }) => (
  <dl class="facts">
    {facts.filter(([, value]) => value !== null && value !== undefined && value !== "").map((
      [name, value],
    ) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** A button that changes something by itself: a form without fields. */
export const Act = ({ to, csrf, label, look = "", hidden = {}, confirm, about }: {
  to: string;
  csrf: string;
  label: string;
  look?: "" | "main" | "stop" | "quiet" | "danger";
  hidden?: Record<string, string>;
  /** Asked before, by script. */
  confirm?: string;
  /** Object of the action, for screen readers: buttons of a list have the same text. */
  about?: string;
}) => (
  <form method="post" action={to} class="act" data-confirm={confirm}>
    <input type="hidden" name="csrf" value={csrf} />
    {Object.entries(hidden).map(([name, value]) => (
      <input
        type="hidden"
        name={name}
        value={value}
      />
    ))}
    <button type="submit" class={look}>
      {label}
      {about && <span class="hidden">{about}</span>}
    </button>
  </form>
);

/** Seconds as people read them. */
export function seconds(value: unknown): string {
  const total = Number(value);
  if (value === null || value === undefined || !Number.isFinite(total)) return "–";
  if (total < 60) return `${Math.round(total)} s`;
  const [h, min, s] = [Math.floor(total / 3_600), Math.floor(total / 60) % 60, total % 60];
  const rest = `${String(min).padStart(2, "0")}:${String(Math.floor(s)).padStart(2, "0")}`;
  return h === 0 ? rest : `${h}:${rest}`;
}
