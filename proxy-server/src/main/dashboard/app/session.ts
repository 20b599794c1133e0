import { call, get } from './api';
import { orgView, type OrgView } from './org-view';
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
  const wanted = place.use().query.get('org') ?? localStorage.getItem(LAST_ORG) ?? '';
  const foreign = visited.use();
  return who ? orgView(who, wanted, foreign) : null;
}

export function rememberOrg(id: string): void {
  localStorage.setItem(LAST_ORG, id);
}

/** Loads the organization of the address for an operator who is no member of it. */
export async function visit(): Promise<void> {
  const who = session.get();
  const wanted = place.get().query.get('org');
  if (who?.operator && wanted && !who.memberships.some(({ org }) => org.id === wanted || org.name === wanted)) {
    visited.set(await get<Org>(`/orgs/${encodeURIComponent(wanted)}`));
  }
}
