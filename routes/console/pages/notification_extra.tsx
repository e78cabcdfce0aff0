import type { Child } from "hono/jsx";
import type { Ports } from "../../../core/model/ports/ports.ts";
import type { Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import { belowOf } from "../frame/render.tsx";
import { adviceOf, errorPath } from "../build/advice.ts";
import { exchangeExtra } from "./exchange.tsx";

/** Advice about a Notification, and the request that it is about. */
export function notificationExtra(c: Page, row: Row, ports: Ports): Child {
  const { error_code: code, message_text: text } = row;
  const advice = adviceOf(code, text);
  return (
    <>
      {advice && (
        <section class="card">
          <h2>What to do</h2>
          <p class="advice">
            {advice}{" "}
            <a href={`${belowOf(c, ports)}/${errorPath(code, text)}`}>More about {String(code)}</a>
          </p>
        </section>
      )}
      {exchangeExtra(c, row)}
    </>
  );
}
