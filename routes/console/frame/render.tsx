import type { Child } from "hono/jsx";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { prefixOf } from "../../docs/docs.ts";
import type { Page } from "./env.ts";
import { Layout } from "./layout.tsx";
import { homeOf } from "./links.ts";

/** Messages of what was done, by the name in the address that a change leads to. */
const notices: Record<string, string> = {
  created: "Created.",
  saved: "Saved.",
  deleted: "Deleted.",
  replayed: "Queued to be sent again.",
  ended: "The call is being ended.",
  redirected: "The call was redirected.",
  muted: "Muted.",
  unmuted: "Unmuted.",
  held: "On hold.",
  unheld: "Off hold.",
  removed: "The participant was removed.",
  "conference-ended": "The conference is being ended.",
  bought: "The number is yours.",
  sent: "Queued to be sent.",
  retried: "The job is due again.",
  suspended: "The account is suspended.",
  activated: "The account is active again.",
  closed: "The account is closed.",
  "factor-reset": "The second factor is off, and all sessions of the account have ended.",
  "signed-out-elsewhere": "All other sessions have ended.",
};

/** Notices of actions on many records, by the number of records. */
const countedNotices: Record<string, (count: number) => string> = {
  "replayed-failed": (count) =>
    count === 0
      ? "No Delivery of that hour has failed."
      : count === 1
      ? "1 failed Delivery is being sent again."
      : `${count.toLocaleString("en")} failed Deliveries are being sent again.`,
};

/** The notice for `done` of the page's address: the name of an action, or `name.count`. */
function noticeOf(c: Page): string | undefined {
  const [, name = "", count] = /^([a-z-]+)(?:\.(\d{1,9}))?$/.exec(c.req.query("done") ?? "") ?? [];
  return count === undefined ? notices[name] : countedNotices[name]?.(Number(count));
}

/** A page of the sign-in. */
export interface SignInPage {
  title: string;
  content: Child;
}

/** A page of an account. */
export interface AccountPage extends SignInPage {
  /** The path of its section. */
  section: string;
  query?: string;
  script?: string;
}

/** Smaller texts are sent as they are. */
const plainLength = 1_024;

/** Answers with a page of an account. */
export function showPage(
  c: Page,
  { title, section, content, query, script }: AccountPage,
  { settings }: Pick<Ports, "settings">,
): Response {
  const { account, caller, csrf } = c.var;
  return answerHtml(
    c,
    <Layout
      title={title}
      prefix={prefixOf(settings.baseUrl)}
      signedIn={{
        account,
        callerSid: caller.sid,
        isRoot: caller.ancestors.length === 0 && account.sid === caller.sid,
        section,
        csrf,
        notice: noticeOf(c),
        ...query && { query },
      }}
      {...script && { script }}
    >
      {content}
    </Layout>,
  );
}

/** Answers with a page that needs no session. */
export const showSignInPage = (
  c: Page,
  { title, content }: SignInPage,
  { settings }: Pick<Ports, "settings">,
): Response =>
  answerHtml(
    c,
    <Layout title={title} prefix={prefixOf(settings.baseUrl)}>
      {content}
    </Layout>,
  );

function answerHtml(c: Page, page: { toString(): string }): Response {
  const text = `<!DOCTYPE html>${page}`;
  c.header("Content-Type", "text/html; charset=utf-8");
  c.header("Vary", "Accept-Encoding");
  const isZipped = text.length > plainLength &&
    /\bgzip\b/.test(c.req.header("Accept-Encoding") ?? "");
  if (!isZipped) return c.body(text);
  c.header("Content-Encoding", "gzip");
  return c.body(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip")));
}

/** The path of the pages of the account at hand. */
export const belowOf = (c: Page, { settings }: Pick<Ports, "settings">): string =>
  `${homeOf(settings.baseUrl)}/${c.var.account.sid}`;
