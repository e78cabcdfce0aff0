import type { Child } from "hono/jsx";

/** Meanings of the parts of a bar, from the bottom up, and their classes of colour. */
export interface Series {
  name: string;
  look: "" | "live" | "wait" | "soft" | "bad";
}

/** A bar: where it stands, and the value of each series. */
export interface Bar {
  /** As a text, for the tip of the bar. */
  label: string;
  /** The same for the table beside the chart. */
  cell?: Child;
  /** Instant of the label, in ms: a script writes it in the viewer's zone. */
  at?: number;
  values: readonly number[];
}

export interface BarsProps {
  title: string;
  series: readonly Series[];
  bars: readonly Bar[];
  /** Labels below the ends of the chart. */
  ends: readonly [Child, Child];
  /** The value of the highest bar in words; the number alone unless given. */
  most?: (value: number) => string;
  /** Numbers in the table and the tips. */
  format?: (value: number) => string;
}

const [barWidth, height] = [10, 60];

/** A chart of stacked bars as SVG, its colours in a legend, and its numbers in a table beside it. */
export function Bars({ title, series, bars, ends, most = String, format = String }: BarsProps) {
  const totals = bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const highest = Math.max(0, ...totals);
  return (
    <>
      {series.length > 1 && (
        <p class="legend soft">
          {series.map(({ name, look }) => (
            <span>
              <span class={`swatch ${look}`} aria-hidden="true" /> {name}
            </span>
          ))}
        </p>
      )}
      <svg
        class="bars"
        viewBox={`0 0 ${bars.length * barWidth} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {series.map(({ look }, index) => (
          <path class={look || undefined} d={pathOf(bars, index, highest)} />
        ))}
        {bars.map((bar, at) => (
          <rect class="over" x={at * barWidth} width={barWidth} height={height}>
            <title data-at={bar.at}>{tipOf(bar, series, format)}</title>
          </rect>
        ))}
      </svg>
      <p class="soft scale">
        <span>{ends[0]}</span>
        <span>{highest === 0 ? "none" : most(highest)}</span>
        <span>{ends[1]}</span>
      </p>
      {highest > 0 && <Numbers {...{ title, series, bars, format }} />}
    </>
  );
}

/** One path for the parts of a series: a page with many charts stays small. */
const pathOf = (bars: readonly Bar[], index: number, highest: number): string =>
  bars.map(({ values }, at) => {
    const tall = heightOf(values[index], highest);
    if (tall === 0) return "";
    const below = values.slice(0, index).reduce((sum, one) => sum + heightOf(one, highest), 0);
    const top = round(Math.max(0, height - below - tall));
    return `M${at * barWidth + 1} ${top}h${barWidth - 2}v${round(tall)}h-${barWidth - 2}z`;
  }).join("");

/** The smallest part can still be seen. */
const heightOf = (value = 0, highest: number): number =>
  value <= 0 ? 0 : Math.max(1.5, value / highest * height);

const round = (value: number): number => Math.round(value * 10) / 10;

function tipOf({ label, values }: Bar, series: readonly Series[], format: (n: number) => string) {
  const parts = values.map((value, index) => [series[index]?.name ?? "", value] as const)
    .filter(([, value]) => value > 0)
    .map(([name, value]) => series.length > 1 ? `${format(value)} ${name}` : format(value));
  return `${label}: ${parts.join(", ") || "none"}`;
}

const Numbers = (
  { title, series, bars, format }: Required<
    Pick<BarsProps, "title" | "series" | "bars" | "format">
  >,
) => (
  <details class="numbers">
    <summary>As a table</summary>
    <table>
      <caption class="hidden">{title}</caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          {series.map(({ name }) => <th scope="col">{name}</th>)}
        </tr>
      </thead>
      <tbody>
        {bars.filter(({ values }) => values.some((value) => value > 0)).map((
          { label, cell, values },
        ) => (
          <tr>
            <th scope="row">{cell ?? label}</th>
            {values.map((value) => <td>{format(value)}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);
