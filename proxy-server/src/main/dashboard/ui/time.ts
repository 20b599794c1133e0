/** Which clock times are shown by. */
export type Clock = 'utc' | 'local';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
const CLOCKS_APART_MILLIS = 5000;

/** `2026-11-26 14:02:07 UTC`, or by the zone. */
export function absolute(at: string | number, clock: Clock, zone = 'UTC'): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) {
    return '';
  }
  // The order of Sweden is that of ISO 8601.
  return date.toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'long', timeZone: clock === 'utc' ? 'UTC' : zone });
}

/** `just now`, `12 s ago`, `in 3 h`; the date beyond a day. */
export function relative(at: string | number, now: number, clock: Clock, zone = 'UTC'): string {
  const millis = new Date(at).getTime() - now;
  const abs = Math.abs(millis);
  if (Number.isNaN(millis) || abs >= DAY) {
    return absolute(at, clock, zone);
  }
  // Another machine's clock may be a little ahead.
  if (millis > -1000 && millis < CLOCKS_APART_MILLIS) {
    return 'just now';
  }
  const [size, unit] = abs < MINUTE ? [1000, 's'] as const : abs < HOUR ? [MINUTE, 'min'] as const : [HOUR, 'h'] as const;
  const text = `${Math.floor(abs / size)} ${unit}`;
  return millis < 0 ? `${text} ago` : `in ${text}`;
}

/** The zone if the browser knows it, else UTC. */
export function knownZone(zone: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return 'UTC';
  }
}

/** End of a day of a date field, as the API takes it; null for no date. */
export function endOfDay(date: string): string | null {
  return /^\d{4}-\d{2}-\d{2}$/.test(date) ? `${date}T23:59:59.000Z` : null;
}
