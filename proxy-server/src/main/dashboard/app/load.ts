import { useEffect, useRef, useState } from 'preact/hooks';
import { call, get, newIdempotencyKey } from './api';
import type { ApiError } from './errors';
import type { Listing } from './types';

interface State<T> { data?: T | undefined; error?: ApiError | undefined; isLoading: boolean; at: number }

/** What a view knows of an answer, and when it came: old data stays while new is loading. */
export interface Loaded<T> extends State<T> { reload(): void; set(data: T): void }

/** Hook: reads `path`, again when it changes and every `everyMillis` while the tab is visible. */
export function useLoad<T>(path: string | null, everyMillis = 0): Loaded<T> {
  const [state, setState] = useState<State<T>>({ isLoading: path !== null, at: 0 });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (path === null) {
      return;
    }
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const pause = () =>
      new Promise((resolve) => {
        timer = everyMillis > 0 ? setTimeout(resolve, everyMillis) : undefined;
      });
    const follow = async () => {
      do {
        await get<T>(path, abort.signal).then(
          (data) => setState({ data, isLoading: false, at: Date.now() }),
          (error: ApiError) => abort.signal.aborted || setState((before) => ({ ...before, error, isLoading: false })),
        );
        do {
          await pause();
        } while (document.visibilityState !== 'visible');
      } while (!abort.signal.aborted);
    };
    setState((before) => ({ ...before, isLoading: true }));
    void follow();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [path, turn, everyMillis]);
  return {
    ...state,
    reload: () => setTurn((n) => n + 1),
    set: (data) => setState({ data, isLoading: false, at: Date.now() }),
  };
}

/** A change, and what it was refused for. */
export interface Action<A extends unknown[] = []> { isBusy: boolean; error: ApiError | undefined; run(...args: A): void; clear(): void }

/** Hook: one change at a time. */
export function useAction<A extends unknown[]>(run: (...args: A) => Promise<void>): Action<A> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const busy = useRef(false);
  return {
    isBusy,
    error,
    clear: () => setError(undefined),
    run: (...args) => {
      if (busy.current) {
        return;
      }
      busy.current = true;
      setBusy(true);
      setError(undefined);
      run(...args)
        .catch((thrown: ApiError) => setError(thrown))
        .finally(() => {
          busy.current = false;
          setBusy(false);
        });
    },
  };
}

/** Hook: makes objects by POST; tries with the same content make one. */
export function useCreate<T>(path: string): (body: unknown) => Promise<T> {
  const last = useRef({ text: '', idempotencyKey: '' });
  return async (body) => {
    const text = JSON.stringify(body);
    if (text !== last.current.text) {
      last.current = { text, idempotencyKey: newIdempotencyKey() };
    }
    const made = await call<T>('POST', path, { body, idempotencyKey: last.current.idempotencyKey });
    last.current = { text: '', idempotencyKey: '' };
    return made;
  };
}

/** Rows of a list that is read page by page. */
export interface Paged<R, P extends Listing<R>> {
  first: Loaded<P>;
  rows: R[];
  hasMore: boolean;
  /** The last page that was read: a list may say there how far it looked. */
  last: P | undefined;
  more: Action;
}

/** Hook: reads a list; `everyMillis` again only while its first page is all that is shown. */
export function usePages<R, P extends Listing<R> = Listing<R>>(path: string | null, everyMillis = 0): Paged<R, P> {
  const [later, setLater] = useState<{ path: string | null; pages: P[] }>({ path: null, pages: [] });
  const pages = later.path === path ? later.pages : [];
  const first = useLoad<P>(path, pages.length > 0 ? 0 : everyMillis);
  const last = pages.at(-1) ?? first.data;
  const cursor = last?.next_cursor ?? null;
  const more = useAction(async () => {
    if (path !== null && cursor !== null) {
      const next = await get<P>(`${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`);
      setLater({ path, pages: [...pages, next] });
    }
  });
  const rows = [first.data, ...pages].flatMap((page) => page?.data ?? []);
  return { first, rows, hasMore: cursor !== null, last, more };
}
