const WHOLE = new Intl.NumberFormat('en-US');

export function whole(n: number | bigint): string {
  return WHOLE.format(n);
}

/** Tokens and other counts: `999`, `12.3 k`, `4.5 M`. */
export function compact(n: number): string {
  const units: [number, string][] = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']];
  for (const [size, unit] of units) {
    if (n >= size) {
      const scaled = n / size;
      return `${scaled >= 100 ? Math.round(scaled) : scaled.toFixed(1)} ${unit}`;
    }
  }
  return whole(n);
}

export function bytes(n: number): string {
  return n < 1024 ? `${n} B` : n < 1024 * 1024 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / 1024 / 1024).toFixed(1)} MiB`;
}

/** `812 ms`, `12.4 s`, `3 min 5 s`. */
export function duration(millis: number): string {
  if (millis < 1000) {
    return `${millis < 1 ? Number(millis.toFixed(2)) : Math.round(millis)} ms`;
  }
  if (millis < 60_000) {
    return `${(millis / 1000).toFixed(1)} s`;
  }
  const seconds = Math.round(millis / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Whole number of a typed text; null if it is none, or not between the bounds. */
export function parseWhole(text: string, min: number, max: number): number | null {
  const plain = text.trim().replaceAll(',', '');
  const n = /^\d{1,15}$/.test(plain) ? Number(plain) : Number.NaN;
  return n >= min && n <= max ? n : null;
}

/** As `parseWhole`; null for an empty text, undefined for one that is no such number. */
export function optionalWhole(text: string, min: number, max: number): number | null | undefined {
  return text.trim() === '' ? null : (parseWhole(text, min, max) ?? undefined);
}
