/** A chart of bars, as SVG, with its numbers in a table for those who do not see it. */
export function Bars({ title, bars }: {
  title: string;
  bars: readonly { label: string; value: number }[];
}) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const [width, height] = [bars.length * 10, 60];
  return (
    <>
      <svg
        class="bars"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {bars.map(({ label, value }, at) => {
          const tall = value === 0 ? 0 : Math.max(2, value / most * height);
          return (
            <rect x={at * 10 + 1} y={height - tall} width={8} height={tall} rx={1}>
              <title>{`${label}: ${value}`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="soft scale">
        <span>{bars[0]?.label}</span>
        <span>most: {most}</span>
        <span>{bars.at(-1)?.label}</span>
      </p>
      <table class="hidden">
        <caption>{title}</caption>
        <tbody>
          {bars.filter(({ value }) => value > 0).map(({ label, value }) => (
            <tr>
              <th scope="row">{label}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
