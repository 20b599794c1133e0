import { href, type PageName } from './routes';
import { Store } from './store';

export interface Place { path: string; query: URLSearchParams }

/** Where the browser is: the one source of what is shown. */
export const place = new Store<Place>(here());

/** Why the page must not be left without a question; null if it may. */
let guard: (() => boolean) | null = null;

export function start(): void {
  addEventListener('popstate', () => place.set(here()));
  addEventListener('click', (event) => {
    const link = (event.target as Element).closest?.('a');
    const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !plain || event.defaultPrevented || link.target !== '' || link.origin !== location.origin) {
      return;
    }
    if (link.pathname.startsWith('/assets/') || link.pathname.startsWith('/api/') || link.pathname.includes('.')) {
      return;
    }
    event.preventDefault();
    go(link.pathname + link.search);
  });
  addEventListener('beforeunload', (event) => {
    if (guard?.() === false) {
      event.preventDefault();
    }
  });
}

/** Goes to a page of ours; `replace` while one types, so that Back steps over it. */
export function go(url: string, replace = false): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', url);
  place.set(here());
}

/** Keeps the browser from closing the tab while `mayLeave` is false; returns how to end that. */
export function guardLeaving(mayLeave: () => boolean): () => void {
  guard = mayLeave;
  return () => {
    guard = null;
  };
}

/** Link to a page that keeps the organization and the clock. */
export function to(page: PageName, id = '', query: Record<string, string> = {}): string {
  return href(page, id, query, location.search);
}

/** Changes parameters of the present page's query; empty ones go. */
export function setQuery(changes: Record<string, string | string[]>, replace = false): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name);
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== '') {
        query.append(name, one);
      }
    }
  }
  const text = query.toString();
  go(location.pathname + (text === '' ? '' : `?${text}`), replace);
}

/** Query of the API for a page of a list: these parameters of the address. */
export function listQuery(query: URLSearchParams, names: readonly string[]): URLSearchParams {
  const params = new URLSearchParams({ limit: '50' });
  for (const name of names) {
    query.getAll(name).forEach((value) => params.append(name, value));
  }
  return params;
}

/** Takes the token out of the fragment, and the fragment out of the address. */
export function takeFragment(): string {
  const token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname + location.search);
  return token;
}

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}
