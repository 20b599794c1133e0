import type { Org, OrgName, Permission, Role, Session } from './types';

/** Organization in view and what the user may do in it. */
export interface OrgView { org: OrgName; role: Role | 'operator'; may(permission: Permission): boolean; isSuspended: boolean }

/** Properties of a page about an organization, and about the object of this id in it. */
export interface OrgPageProps { view: OrgView; id: string }

/** True if the address names an organization that an operator may open without being its member. */
export function isForeign(who: Session, named: string | null): boolean {
  return who.operator && named !== null && !who.memberships.some(({ org }) => org.id === named || org.name === named);
}

/** The organization that is wanted, by id or name, else the first; null if the user has none. */
export function orgView(who: Session, wanted: string, foreign: Org | null): OrgView | null {
  const membership = who.memberships.find(({ org }) => org.id === wanted || org.name === wanted);
  const isVisit = !membership && who.operator && foreign?.id === wanted;
  const of = isVisit ? { org: foreign, role: 'operator' as const, permissions: [] as Permission[] } : (membership ?? who.memberships[0]);
  return of ? { org: of.org, role: of.role, may: (one) => who.operator || of.permissions.includes(one), isSuspended: of.org.state !== 'active' } : null;
}
