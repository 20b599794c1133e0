import { useEffect } from 'preact/hooks';
import { call, get } from './api';
import { useLoad, type Loaded } from './load';
import { isForeign, orgView, type OrgView } from './org-view';
import { go, place } from './router';
import { match, PATHS, PUBLIC, safeReturnTo } from './routes';
import { Store } from './store';
import type { Meta, Org, Session } from './types';

const LAST_ORG = 'tollgate.org';

/** Who is signed in; undefined until that is known, null if nobody is. */
export const session = new Store<Session | null | undefined>(undefined);
export const meta = new Store<Meta | null>(null);
/** Organization that an operator opened without being its member. */
const visited = new Store<Org | null>(null);

export async function loadMeta(): Promise<Meta> {
  const loaded = await get<Meta>('/meta');
  meta.set(loaded);
  return loaded;
}

export async function loadSession(): Promise<void> {
  session.set(await get<Session>('/session'));
}

/** Takes over the session of a sign-in and goes where the user wanted to. */
export function signedIn(by: Session, returnTo: string | null): void {
  session.set(by);
  go(safeReturnTo(returnTo));
}

export async function signOut(): Promise<void> {
  await call('POST', '/auth/sign-out');
  session.set(null);
  go(PATHS.signIn);
}

/** Shows the sign-in page, which comes back to this one. */
export function toSignIn(): void {
  session.set(null);
  if (PUBLIC.has(match(location.pathname).page)) {
    return;
  }
  const at = location.pathname + location.search;
  go(at === '/' ? PATHS.signIn : `${PATHS.signIn}?return_to=${encodeURIComponent(at)}`, true);
}

/** The organization in view: named by the address, else the last one, else the first. */
export function useOrg(): OrgView | null {
  const who = session.use();
  const named = place.use().query.get('org');
  const foreign = visited.use();
  if (!who || (isForeign(who, named) && foreign?.id !== named)) {
    return null;
  }
  return orgView(who, named ?? localStorage.getItem(LAST_ORG) ?? '', foreign);
}

/** Hook: loads the organization that the address names for an operator who is no member of it. */
export function useVisit(): Loaded<Org> | null {
  const who = session.use();
  const named = place.use().query.get('org');
  const isVisit = who ? isForeign(who, named) : false;
  const loaded = useLoad<Org>(isVisit ? `/orgs/${encodeURIComponent(named!)}` : null);
  useEffect(() => visited.set(loaded.data ?? null), [loaded.data]);
  return isVisit ? loaded : null;
}

export function rememberOrg(id: string): void {
  localStorage.setItem(LAST_ORG, id);
}
