/** Filters of the list of requests that are query parameters of the page and of the API alike. */
export const FILTERS = [
  'key', 'model', 'provider', 'endpoint', 'status', 'outcome', 'code', 'stream', 'fallback', 'estimated',
  'min_cost_micro', 'max_cost_micro', 'min_ms', 'max_ms', 'min_ttft_ms', 'min_tokens', 'request_id', 'client_ip',
] as const;
export type FilterName = (typeof FILTERS)[number];

/** Filters of which several values mean "or". */
const MANY: ReadonlySet<FilterName> = new Set(['key', 'model', 'provider', 'endpoint', 'status', 'outcome', 'code']);

const HOUR_MILLIS = 3_600_000;
const MINUTE_MILLIS = 60_000;
export const RANGES = { '1h': 1, '6h': 6, '24h': 24, '7d': 168, '30d': 720 } as const;
export type Range = keyof typeof RANGES;

/** Period that is looked at: relative to now until one picks it in the histogram. */
export interface Period { from: string; to: string; range: Range | null }

export function periodOf(query: URLSearchParams, now: number): Period {
  const from = query.get('from');
  const to = query.get('to');
  if (from !== null && to !== null && !Number.isNaN(Date.parse(from)) && !Number.isNaN(Date.parse(to))) {
    return { from, to, range: null };
  }
  const wanted = query.get('range') ?? '24h';
  const range = wanted in RANGES ? (wanted as Range) : '24h';
  // Whole minutes, so that the same question has the same address for a while.
  const end = Math.ceil(now / MINUTE_MILLIS) * MINUTE_MILLIS;
  return { from: new Date(end - RANGES[range] * HOUR_MILLIS).toISOString(), to: new Date(end).toISOString(), range };
}

/** The filters set in the address, in the order of `FILTERS`. */
export function filtersOf(query: URLSearchParams): { name: FilterName; value: string }[] {
  return FILTERS.flatMap((name) => query.getAll(name).map((value) => ({ name, value })));
}

/** The query of R1, R3 and R4; a period that goes on to now has no end for the list. */
export function apiQuery(query: URLSearchParams, period: Period, isList: boolean): string {
  const params = new URLSearchParams({ from: period.from });
  if (!isList || period.range === null) {
    params.set('to', period.to);
  }
  for (const { name, value } of filtersOf(query)) {
    params.append(name, value);
  }
  return params.toString();
}

/** Values of a filter after one more was chosen: beside the others where several are allowed. */
export function added(query: URLSearchParams, name: FilterName, value: string): string[] {
  const before = query.getAll(name);
  return before.includes(value) ? before : MANY.has(name) ? [...before, value] : [value];
}

export function removed(query: URLSearchParams, name: FilterName, value: string): string[] {
  return query.getAll(name).filter((one) => one !== value);
}
