const [barWidth, height] = [4, 20];

/** A small chart of bars beside a text that says the same. */
export function Spark({ values }: { values: readonly number[] }) {
  const highest = Math.max(1, ...values);
  const path = values.map((value, at) => {
    const tall = value === 0 ? 0 : Math.max(1, Math.round(value / highest * height));
    return tall === 0
      ? ""
      : `M${at * barWidth} ${height - tall}h${barWidth - 1}v${tall}h-${barWidth - 1}z`;
  });
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${values.length * barWidth} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path.join("")} />
    </svg>
  );
}
