import type { Child } from "hono/jsx";

/** What the parts of a bar stand for, from the bottom up, and the class that colours them. */
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
  /** Where the label is an instant, in ms: a script writes it in the viewer's zone. */
  at?: number;
  values: readonly number[];
}

export interface BarsProps {
  title: string;
  series: readonly Series[];
  bars: readonly Bar[];
  /** What stands below the ends of the chart. */
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
        {bars.map((bar, at) => (
          <g>
            <title data-at={bar.at}>{tipOf(bar, series, format)}</title>
            <rect class="ground" x={at * barWidth} width={barWidth} height={height} />
            {partsOf(bar.values, highest).map(({ y, tall, index }) => (
              <rect
                class={series[index]?.look || undefined}
                x={at * barWidth + 1}
                y={y}
                width={barWidth - 2}
                height={tall}
              />
            ))}
          </g>
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

/** The parts of a bar that are not empty; the smallest can still be seen. */
function partsOf(values: readonly number[], highest: number) {
  let top = height;
  return values.map((value, index) => {
    const tall = value <= 0 ? 0 : Math.max(1.5, value / highest * height);
    top -= tall;
    return { index, tall: round(tall), y: round(Math.max(0, top)) };
  }).filter(({ tall }) => tall > 0);
}

const round = (value: number): number => Math.round(value * 100) / 100;

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
