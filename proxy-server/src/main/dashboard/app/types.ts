// What the pages call the API's replies.
import type { KeyView, SessionViewOrgSummary } from './replies';

export type {
  AuditLogAuditRow as AuditRow, BudgetServiceBudget as Budget, CreditsView as Credits, HistogramView as Histogram,
  InvitationLinksInvitationLook as InvitationLook, InvitationView as Invitation, KeyHandlersKeyPage as KeyListing, KeyView as Key,
  KeyViewLimits as Limits, LedgerListLedgerLine as LedgerEntry, LimitServiceLimitsView as LimitsView, MemberView as Member, Meta,
  ModelHandlersModelView as Model, OperatorOrgHandlersOrgRow as OperatorOrg, OperatorOrgsCreated as OperatorOrgMade,
  OperatorUsersUserEntry as OperatorUser, OrgView as Org, Permission, RequestFacets as Facets, RequestListing,
  RequestListingRow as RequestRow, RequestReport as RequestDetail, RequestReportAttempt as Attempt, Role, SessionReply as Session,
  SessionsSessionEntry as Device, SessionViewUserView as User, WebhookSecretServiceSecretInfo as WebhookSecret,
} from './replies';

export type OrgName = SessionViewOrgSummary;
export interface Listing<T> { data: T[]; next_cursor?: string | null; total?: number }
/** The secret is null where the answer repeats an earlier one. */
export interface KeyMade { key: KeyView; secret: string | null }
