import type { Child } from "hono/jsx";
import { siteParts } from "../../http/site_header.ts";
import { groups, sections } from "./sections.ts";
import type { Row } from "./api.ts";

/** Frame of every page of the console. */
export interface Frame {
  title: string;
  /** The path of the service's address, without a slash at its end. */
  prefix: string;
  /** Account of the page; absent on pages of the sign-in. */
  signedIn?: SignedInFrame;
  /** A further module of the page, by its file name. */
  script?: string;
  children?: Child;
}

export interface SignedInFrame {
  account: Row;
  callerSid: string;
  /** True for the root account's own pages. */
  isRoot: boolean;
  /** The path of the section in the navigation. */
  section: string;
  csrf: string;
  /** Text of the search box. */
  query?: string;
  /** Message of the action that was just done. */
  notice?: string | undefined;
}

/** The modules that main.js imports: a browser fetches them with it, not after it. */
const mainImports = [
  "times.js",
  "live.js",
  "levels.js",
  "wave.js",
  "confirm.js",
  "copy.js",
  "tell.js",
] as const;

/** A whole page. */
export function Layout({ title, prefix, signedIn, script, children }: Frame) {
  const home = `${prefix}/console`;
  const asset = (name: string) => `${home}/assets/${name}`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title} – Switchboard</title>
        <link rel="icon" href={asset("icon.svg")} type="image/svg+xml" />
        <link rel="stylesheet" href={asset("base.css")} />
        <link rel="stylesheet" href={asset("page.css")} />
        <link rel="stylesheet" href={asset("parts.css")} />
        <link rel="stylesheet" href={asset("timeline.css")} />
        <link rel="stylesheet" href={asset("charts.css")} />
        <link rel="stylesheet" href={asset("live.css")} />
        <script type="module" src={asset("main.js")}></script>
        {mainImports.map((name) => <link rel="modulepreload" href={asset(name)} />)}
        {script && <script type="module" src={asset(script)}></script>}
      </head>
      <body class={signedIn ? "console" : "door"}>
        <a class="skip" href="#content">Skip to content</a>
        {signedIn && <Header home={home} {...signedIn} />}
        <div class="columns">
          {signedIn && <Side home={home} {...signedIn} />}
          <main id="content" tabindex={-1}>
            {signedIn?.notice && <p class="notice" tabindex={-1} role="status">{signedIn.notice}
            </p>}
            {children}
          </main>
        </div>
      </body>
    </html>
  );
}

interface Placed extends SignedInFrame {
  home: string;
}

function Header({ home, account, callerSid, csrf, query = "" }: Placed) {
  const below = `${home}/${account.sid}`;
  const isOwn = account.sid === callerSid;
  const prefix = home.replace(/\/console$/, "");
  return (
    <header class="top">
      <a class="brand" href={below}>Switchboard</a>
      <nav class="site" aria-label="Service">
        {siteParts.map(({ name, title }) => (
          <a
            href={name === "console" ? below : `${prefix}/${name}`}
            aria-current={name === "console" ? "true" : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <form class="find" role="search" action={`${below}/search`}>
        <label class="hidden" for="find">Find a Sid, a number or a Login</label>
        <input
          id="find"
          name="q"
          type="search"
          value={query}
          placeholder="Sid, number or Login"
          autocomplete="off"
          spellcheck={false}
        />
        <button type="submit">Find</button>
      </form>
      <details class="menu">
        <summary>
          <span class="who">{String(account.friendly_name)}</span>
          {!isOwn && <span class="tag">sub-account</span>}
        </summary>
        <div class="sheet">
          <p class="soft">
            {String(account.email_address)}
            <br />
            {String(account.role)}
          </p>
          {!isOwn && <a href={`${home}/${callerSid}`}>Back to your own account</a>}
          <a href={`${below}/Accounts`}>Switch account</a>
          <a href={`${home}/security`}>Security</a>
          <form method="post" action={`${home}/sign-out`}>
            <input type="hidden" name="csrf" value={csrf} />
            <button type="submit" class="quiet">Sign out</button>
          </form>
        </div>
      </details>
    </header>
  );
}

const Side = (placed: Placed) => (
  <nav class="side" aria-label="Console">
    <details class="narrow">
      <summary>Menu</summary>
      <Entries {...placed} isNarrow />
    </details>
    <div class="wide">
      <Entries {...placed} />
    </div>
  </nav>
);

const Entries = ({ home, account, section, isRoot, isNarrow }: Placed & { isNarrow?: true }) => (
  <>
    {groups.filter((group) => group !== "Service" || isRoot).map((group) => {
      const entries = sections.filter((one) => one.group === group);
      const list = (
        <ul>
          {entries.map(({ path, title }) => (
            <li>
              <a
                href={`${home}/${account.sid}${path && `/${path}`}`}
                aria-current={path === section ? "page" : undefined}
              >
                {title}
              </a>
            </li>
          ))}
        </ul>
      );
      if (group === "" || isNarrow) {
        return <div class="group">{group !== "" && <p>{group}</p>}{list}</div>;
      }
      const isOpen = !folded.includes(group) || entries.some(({ path }) => path === section);
      return (
        <details class="group" open={isOpen}>
          <summary>{group}</summary>
          {list}
        </details>
      );
    })}
  </>
);

/** Groups that are closed unless the page is of one of them: all entries have to fit a screen. */
const folded: readonly string[] = ["Account", "Service"];
