// Numbers as CSV, every digit kept.

export function csv(head: string[], columns: ArrayLike<number>[]): string {
  const rows = [head.map(cell).join(",")];
  const count = columns[0]?.length ?? 0;
  for (let i = 0; i < count; ++i) rows.push(columns.map((column) => plain(column[i]!)).join(","));
  return rows.join("\n") + "\n";
}

export function csvRows(head: string[], rows: (string | number)[][]): string {
  return [head.map(cell), ...rows.map((row) => row.map((one) => (typeof one === "number" ? plain(one) : cell(one))))]
    .map((row) => row.join(",")).join("\n") + "\n";
}

function plain(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return String(value);
}

// A name that would be a formula to a spreadsheet gets a quote before it.
function cell(words: string): string {
  const safe = /^[=+\-@\t\r]/.test(words) ? `'${words}` : words;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}
