/** Count of a list, and links to export it. */
export function Exports({ to, query, total }: {
  to: string;
  query: URLSearchParams;
  total: number | null;
}) {
  const as = (format: string) =>
    `${to}/export?${new URLSearchParams([...query, ["format", format]])}`;
  return (
    <p class="soft exports">
      {total !== null && <span>{total.toLocaleString("en")} in total.</span>} Export as{" "}
      <a href={as("csv")}>CSV</a> or <a href={as("json")}>JSON</a>.
    </p>
  );
}
