import type { Permission } from './types';

/** Path of each page; `:id` stands for one segment. */
export const PATHS = {
  signIn: '/sign-in',
  setup: '/setup',
  verify: '/verify',
  reset: '/reset',
  invite: '/invite',
  requests: '/requests',
  request: '/requests/:id',
  keys: '/keys',
  keyNew: '/keys/new',
  key: '/keys/:id',
  webhooks: '/webhooks',
  credits: '/credits',
  members: '/members',
  organization: '/settings',
  audit: '/audit',
  account: '/account',
  operatorOrgs: '/operator/organizations',
  operatorUsers: '/operator/users',
} as const;

export type PageName = keyof typeof PATHS;

export interface Route { page: PageName | null; id: string }

/** Pages that are shown without a session. */
export const PUBLIC: ReadonlySet<PageName | null> = new Set(['signIn', 'setup', 'verify', 'reset', 'invite'] as const);

/** Pages about an organization that need another permission than to see it. */
const PERMISSIONS: Partial<Record<PageName, Permission>> = { keyNew: 'keys_write_own', audit: 'audit_read' };
export const permissionOf = (page: PageName): Permission => PERMISSIONS[page] ?? 'org_read';

/** Query parameters that every link keeps. */
export const STICKY = ['org', 'clock'] as const;

/** Finds the page of a path; the page is null if there is none. `/` shows the requests. */
export function match(path: string): Route {
  const segments = path.split('/').filter((segment) => segment !== '');
  if (segments.length === 0) {
    return { page: 'requests', id: '' };
  }
  for (const [page, path] of Object.entries(PATHS)) {
    const found = new RegExp(`^${path.replace(':id', '([^/]+)')}$`).exec(`/${segments.join('/')}`);
    if (found) {
      return { page: page as PageName, id: decoded(found[1] ?? '') };
    }
  }
  return { page: null, id: '' };
}

/** Where to go after signing in: a path of our own, else `/`. */
export function safeReturnTo(value: string | null): string {
  return value !== null && /^\/(?![/\\])[^\\\u0000-\u0020]*$/.test(value) ? value : '/';
}

/** Makes a link to a page: its path with the id, and the query without what is empty. */
export function href(page: PageName, id = '', query: Record<string, string> = {}, current = ''): string {
  const params = new URLSearchParams();
  const before = new URLSearchParams(current);
  for (const name of STICKY) {
    const value = before.get(name);
    if (value !== null) {
      params.set(name, value);
    }
  }
  for (const [name, value] of Object.entries(query)) {
    params.delete(name);
    if (value !== '') {
      params.set(name, value);
    }
  }
  const text = params.toString();
  return PATHS[page].replace(':id', encodeURIComponent(id)) + (text === '' ? '' : `?${text}`);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
