import { useEffect, useRef, useState } from 'preact/hooks';
import { get } from './api';
import type { ApiError } from './errors';
import type { Listing } from './types';

/** What a view knows of an answer: old data stays while new is loading. */
export interface Loaded<T> {
  data: T | undefined;
  error: ApiError | undefined;
  isLoading: boolean;
  /** When the data came, in milliseconds. */
  at: number;
  reload(): void;
  set(data: T): void;
}

interface State<T> { data?: T | undefined; error?: ApiError | undefined; isLoading: boolean; at: number }

/** Hook: reads `path`, again when it changes and every `everyMillis` while the tab is visible. */
export function useLoad<T>(path: string | null, everyMillis = 0): Loaded<T> {
  const [state, setState] = useState<State<T>>({ isLoading: path !== null, at: 0 });
  const [turn, setTurn] = useState(0);
  const quiet = useRef(false);
  useEffect(() => {
    if (path === null) {
      return;
    }
    const abort = new AbortController();
    const isQuiet = quiet.current;
    quiet.current = false;
    if (!isQuiet) {
      setState((before) => ({ ...before, isLoading: true }));
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = () => {
      if (everyMillis > 0) {
        timer = setTimeout(() => {
          if (document.visibilityState !== 'visible') {
            again();
            return;
          }
          quiet.current = true;
          setTurn((n) => n + 1);
        }, everyMillis);
      }
    };
    get<T>(path, abort.signal).then(
      (data) => {
        setState({ data, isLoading: false, at: Date.now() });
        again();
      },
      (error: ApiError) => {
        if (!abort.signal.aborted) {
          setState((before) => ({ data: before.data, at: before.at, error, isLoading: false }));
          again();
        }
      },
    );
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [path, turn, everyMillis]);
  return {
    data: state.data,
    error: state.error,
    isLoading: state.isLoading,
    at: state.at,
    reload: () => setTurn((n) => n + 1),
    set: (data) => setState({ data, isLoading: false, at: Date.now() }),
  };
}

/** Hook: one change at a time, with what it was refused for. */
export function useAction<A extends unknown[]>(
  run: (...args: A) => Promise<void>,
): { isBusy: boolean; error: ApiError | undefined; run(...args: A): void; clear(): void } {
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

/** Rows of a list that is read page by page. */
export interface Paged<R, P extends Listing<R>> {
  first: Loaded<P>;
  rows: R[];
  hasMore: boolean;
  /** The last page that was read: a list may say there how far it looked. */
  last: P | undefined;
  more: { isBusy: boolean; error: ApiError | undefined; run(): void };
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
