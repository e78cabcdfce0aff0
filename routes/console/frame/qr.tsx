/**
 * QR codes, by uqr (27 kB, MIT, no dependencies). Refused: own code, some 500 lines of Reed-Solomon and masks;
 * `qrcode`, with three packages for PNG; `qrcode-generator` (57 kB); `qr` (169 kB, with a reader of pictures).
 * Modules are drawn as one SVG path, since the policy of the pages forbids styles in them.
 */
import { encode } from "uqr";

/** A QR code (ISO/IEC 18004), dark on white in dark mode too, as cameras need it. */
export function Qr({ text, label }: {
  text: string;
  /** Text alternative of the code. */
  label: string;
}) {
  const { data, size } = encode(text, { ecc: "M", border: 2 });
  const path = data.map((row, y) =>
    runsOf(row).map(({ x, width }) => `M${x} ${y}h${width}v1h-${width}z`).join("")
  );
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path.join("")} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

/** The dark runs of a row. */
function runsOf(row: boolean[]): { x: number; width: number }[] {
  const runs: { x: number; width: number }[] = [];
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue;
    const begin = x;
    while (row[x + 1]) x++;
    runs.push({ x: begin, width: x + 1 - begin });
  }
  return runs;
}
