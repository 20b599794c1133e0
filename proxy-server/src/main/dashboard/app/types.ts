// What the pages call the API's replies; where a reply says only that a member is a string, its values.
import type * as replies from './replies';

type With<T, M> = Omit<T, keyof M> & M;

export type Role = replies.MemberView['role'];
export type Permission =
  | 'org_read' | 'org_update' | 'org_close' | 'members_write' | 'owners_write' | 'invitations_read' | 'invitations_write' | 'audit_read'
  | 'keys_write_own' | 'keys_write_all' | 'ledger_read' | 'spending_limit_write' | 'webhook_secret_reveal' | 'webhook_secret_rotate';
export type OrgState = 'active' | 'suspended' | 'closed';
export type KeyState = 'active' | 'disabled' | 'expired' | 'revoked';

export interface Listing<T> { data: T[]; next_cursor?: string | null; total?: number }

export type Meta = replies.Meta;
export type User = replies.SessionViewUserView;
export type OrgName = With<replies.SessionViewOrgSummary, { state: OrgState }>;
export type Session = With<replies.SessionReply, { memberships: { org: OrgName; role: Role; permissions: Permission[] }[] }>;
export type Device = replies.SessionsSessionEntry;
export type Org = With<replies.OrgView, { state: OrgState }>;
export type Member = replies.MemberView;
export type Invitation = replies.InvitationView;
export type Limits = replies.KeyViewLimits;
export type Key = With<replies.KeyView, { state: KeyState }>;
export interface KeyListing extends Listing<Key> { max: number }
/** The secret is null where the answer repeats an earlier one. */
export interface KeyMade { key: Key; secret: string | null; old?: replies.KeyServiceOldKey }
export type Credits = replies.CreditsView;
export type LedgerEntry = With<replies.LedgerListLedgerLine, { kind: 'funding' | 'refund' | 'adjustment' | 'write_off' | 'charges' }>;
export type Budget = With<replies.BudgetServiceBudget, { scope: 'organization_month' | 'key_day' | 'key_month' }>;
export type LimitsView = replies.LimitServiceLimitsView;
export type RequestRow = replies.RequestListingRow;
export type RequestListing = With<replies.RequestListing, { refused: Record<string, number> }>;
export type RequestDetail = replies.RequestReport;
export type Attempt = replies.RequestReportAttempt;
export type Histogram = replies.HistogramView;
export type FacetName = 'keys' | 'models' | 'providers' | 'endpoints' | 'outcomes' | 'codes';
export type Facets = replies.RequestFacets;
export type WebhookSecret = replies.WebhookSecretServiceSecretInfo;

export interface Model { id: string; name?: string; modality?: string }

export type InvitationLook = replies.InvitationLinksInvitationLook;
export type AuditRow = With<replies.AuditLogAuditRow, { changes: { field: string; from: unknown; to: unknown }[] }>;
export type OperatorOrg = With<replies.OperatorOrgHandlersOrgRow, { state: OrgState }>;
export type OperatorUser = replies.OperatorUsersUserEntry;
