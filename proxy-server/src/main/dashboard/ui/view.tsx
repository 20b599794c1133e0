import type { ComponentChildren } from 'preact';
import type { ApiError } from '../app/errors';
import type { Action, Loaded } from '../app/load';
import { t } from '../i18n/en';
import { Button, Copy, Time, useNow } from './parts';

const STALE_MILLIS = 10_000;

interface ViewProps<T> {
  of: Loaded<T>;
  children(data: T): ComponentChildren;
  /** How many rows the skeleton has. */
  rows?: number;
  isEmpty?(data: T): boolean;
  empty?: ComponentChildren;
}

/** The four states of a view: loading, empty, failed, and data, perhaps old. */
export function View<T>({ of, children, rows = 6, isEmpty, empty }: ViewProps<T>) {
  if (of.data === undefined) {
    return of.error ? <Failed error={of.error} onRetry={of.reload} /> : <Skeleton rows={rows} />;
  }
  const hasNone = isEmpty?.(of.data) === true && !of.isLoading;
  return (
    <div class={of.isLoading ? 'dimmed' : ''} aria-busy={of.isLoading}>
      {of.error && <Stale since={of.at} error={of.error} onRetry={of.reload} />}
      {hasNone ? <div class="empty">{empty}</div> : children(of.data)}
    </div>
  );
}

export function Skeleton({ rows }: { rows: number }) {
  return (
    <div class="skeleton" aria-busy="true">
      <span class="visually-hidden" role="status">{t.states.loading}</span>
      {Array.from({ length: rows }, (_, i) => (<span key={i} class="bone" aria-hidden="true" />))}
    </div>
  );
}

export function Failed({ error, onRetry }: { error: ApiError; onRetry?: () => void }) {
  return (
    <div class="failed" role="alert">
      <p>{t.codes[error.code] ?? error.message}</p>
      <p class="small"><code>{error.code}</code> {error.requestId !== '' && <Copy text={error.requestId} label={t.errors.copyId} />}</p>
      {onRetry && <Button onClick={onRetry}>{t.states.again}</Button>}
    </div>
  );
}

function Stale({ since, error, onRetry }: { since: number; error: ApiError; onRetry(): void }) {
  return (
    <p class="stale" role="status">
      {error.isOffline ? t.states.offline : t.states.stale} <Time at={since} />{' '}
      <Button kind="plain" onClick={onRetry}>{t.states.again}</Button>
    </p>
  );
}

/** How old the answer's data is; in words when that is much. */
export function AsOf({ at }: { at: string | undefined }) {
  const now = useNow(1000);
  const isOld = at !== undefined && now - new Date(at).getTime() > STALE_MILLIS;
  return at ? <span class={isOld ? 'stale-note' : ''}>{isOld ? t.states.behind : t.states.asOf} <Time at={at} /></span> : null;
}

/** The button under a list that has more rows. */
export function More({ of, verb = t.states.more }: { of: { hasMore: boolean; more: Action }; verb?: string }) {
  return (
    <>
      {of.more.error && <Failed error={of.more.error} />}
      {of.hasMore && <p class="chips"><Button isBusy={of.more.isBusy} onClick={of.more.run}>{verb}</Button></p>}
    </>
  );
}
