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
  const isMember = who.memberships.find(({ org }) => org.id === wanted || org.name === wanted);
  if (!isMember && who.operator && foreign !== null && foreign.id === wanted) {
    return view(foreign, 'operator', null);
  }
  const membership = isMember ?? who.memberships[0];
  if (!membership) {
    return null;
  }
  return view(membership.org, membership.role, who.operator ? null : membership.permissions);
}

function view(org: OrgName, role: Role | 'operator', permissions: Permission[] | null): OrgView {
  return {
    org,
    role,
    may: (permission) => permissions === null || permissions.includes(permission),
    isSuspended: org.state !== 'active',
  };
}
