import { endChild } from "../process/end_child.ts";
import { eventually } from "../process/eventually.ts";
import { freePorts } from "../process/system.ts";

/** Program that `.ci/peers` builds: the OTLP receiver of the OpenTelemetry Collector. */
const program = `${
  Deno.env.get("SWITCHBOARD_PEERS") ??
    `${Deno.env.get("HOME") ?? "/root"}/.cache/switchboard-peers`
}/collector`;

const isThere = await Deno.stat(program).then(() => true, () => false);

/** Reason for which the tests are skipped; empty when they run. Under `CI` they fail instead. */
export const skipped = isThere || Deno.env.get("CI") ? "" : ` (skipped: no ${program})`;

export interface Span {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  /** The attributes whose values are texts. */
  texts: Record<string, string>;
}

export interface TraceCollector extends AsyncDisposable {
  readonly url: string;
  /** Spans received so far. */
  readonly spans: readonly Span[];
}

/** An attribute in OTLP's JSON. */
interface Attribute {
  key: string;
  value: { stringValue?: string };
}

interface Export {
  resourceSpans?: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<Span, "service" | "texts"> & { attributes?: Attribute[] })[] }[];
  }[];
}

const textsOf = (attributes: Attribute[] = []): Record<string, string> =>
  Object.fromEntries(
    attributes.flatMap(({ key, value: { stringValue } }) =>
      stringValue === undefined ? [] : [[key, stringValue]]
    ),
  );

/** Starts the collector on a free port. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const [port] = freePorts(1) as [number];
  const address = `127.0.0.1:${port}`;
  const child = new Deno.Command(program, { args: [address], stdin: "null", stdout: "piped" })
    .spawn();
  const spans: Span[] = [];
  const reading = (async () => {
    let rest = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) spans.push(...spansOf(JSON.parse(line)));
    }
  })();
  await eventually("the collector listens", async () => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
    connection?.close();
    return connection !== undefined;
  });
  return {
    url: `http://${address}`,
    spans,
    async [Symbol.asyncDispose]() {
      await endChild(child);
      await reading;
    },
  };
}

const spansOf = ({ resourceSpans = [] }: Export): Span[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = textsOf(resource.attributes)["service.name"] ?? "";
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, service, texts: textsOf(span.attributes) }))
    );
  });
