import type { ErrorHandler } from "hono";
import { Fault } from "../../../core/base/faults.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { statusOf } from "../../http/errors.ts";
import { ApiRefusal } from "./api.ts";
import type { ConsoleEnv, Page } from "./env.ts";
import { homeOf } from "./links.ts";
import { Heading } from "./parts.tsx";
import { showPage, showSignInPage } from "./render.tsx";

/** Heading and text of a refusal's page. */
interface Refused {
  status: number;
  message: string;
  retryAfter?: string | null;
}

/** Answers a refusal with its page. Any other error is a bug: it is logged. */
export const onConsoleError = (ports: Ports): ErrorHandler<ConsoleEnv> => (error, c) => {
  const refused = refusedOf(error);
  if (refused.status >= 500) {
    const { method, path } = c.req;
    ports.log("Cannot show a page of the console", {
      requestId: c.var.requestId,
      method,
      path,
      error,
    });
  }
  return showRefused(c, refused, ports);
};

function refusedOf(error: unknown): Refused {
  if (error instanceof ApiRefusal) return error;
  if (error instanceof Fault) return { status: statusOf[error.kind], message: error.message };
  return {
    status: 500,
    message: "The service met a fault of its own; nothing that you entered is wrong. Try again. " +
      "If it stays, give the number of the request to whoever runs the service: its log has it",
  };
}

const titles: Record<number, string> = {
  403: "You may not see this",
  404: "There is nothing here",
  429: "Too many requests",
};

export function showRefused(
  c: Page,
  { status, message, retryAfter }: Refused,
  ports: Ports,
): Response {
  const title = titles[status] ?? "This did not work";
  const home = homeOf(ports.settings.baseUrl);
  // The status of a Fault or of an answer of the interface.
  c.status(status as 400);
  if (retryAfter) c.header("Retry-After", retryAfter);
  const isInside = c.var.account !== undefined && c.var.session !== undefined;
  const content = (
    <>
      <Heading title={title} />
      <p>{message}.</p>
      <p class="soft">
        Request <code class="sid">{c.var.requestId}</code>
      </p>
      <p>
        <a href={home}>{isInside ? "To the overview" : "To the sign-in"}</a>
      </p>
    </>
  );
  if (isInside) return showPage(c, { title, section: "none", content }, ports);
  return showSignInPage(c, { title, content: <div class="card door-card">{content}</div> }, ports);
}
