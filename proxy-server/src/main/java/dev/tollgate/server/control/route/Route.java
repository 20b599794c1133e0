package dev.tollgate.server.control.route;

import static dev.tollgate.server.account.AuditAction.MEMBER_JOIN;
import static dev.tollgate.server.account.AuditAction.SESSION_REAUTHENTICATE;
import static dev.tollgate.server.account.AuditAction.SESSION_SIGN_IN;
import static dev.tollgate.server.account.AuditAction.SESSION_SIGN_OUT;
import static dev.tollgate.server.account.AuditAction.SETUP_COMPLETE;
import static dev.tollgate.server.account.AuditAction.USER_CLOSE;
import static dev.tollgate.server.account.AuditAction.USER_CREATE;
import static dev.tollgate.server.account.AuditAction.USER_PASSWORD;
import static dev.tollgate.server.account.AuditAction.USER_PASSWORD_RESET;
import static dev.tollgate.server.account.AuditAction.USER_UPDATE;
import static dev.tollgate.server.account.AuditAction.USER_VERIFY;
import static dev.tollgate.server.account.Permission.ORG_READ;
import static dev.tollgate.server.control.route.RouteDraft.delete;
import static dev.tollgate.server.control.route.RouteDraft.get;
import static dev.tollgate.server.control.route.RouteDraft.patch;
import static dev.tollgate.server.control.route.RouteDraft.post;
import static dev.tollgate.server.control.route.RouteDraft.put;

import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.org.AuditLog;
import dev.tollgate.server.account.org.InvitationLinks.Acceptance;
import dev.tollgate.server.account.org.InvitationLinks.InvitationLook;
import dev.tollgate.server.account.org.InvitationView;
import dev.tollgate.server.account.org.Invitations;
import dev.tollgate.server.account.org.MemberView;
import dev.tollgate.server.account.org.Members;
import dev.tollgate.server.account.org.OperatorOrgs;
import dev.tollgate.server.account.org.OrgPatch;
import dev.tollgate.server.account.org.OrgService;
import dev.tollgate.server.account.org.OrgView;
import dev.tollgate.server.account.signin.OperatorUsers;
import dev.tollgate.server.account.signin.SessionView.UserView;
import dev.tollgate.server.account.signin.Sessions.SessionEntry;
import dev.tollgate.server.account.signin.SetUp.SetUpRequest;
import dev.tollgate.server.account.signin.SignIn.SignInRequest;
import dev.tollgate.server.account.signin.SignUp.SignUpRequest;
import dev.tollgate.server.account.tenant.BudgetService;
import dev.tollgate.server.account.tenant.CreditService;
import dev.tollgate.server.account.tenant.CreditsView;
import dev.tollgate.server.account.tenant.KeyPatch;
import dev.tollgate.server.account.tenant.KeyService;
import dev.tollgate.server.account.tenant.KeyView;
import dev.tollgate.server.account.tenant.LedgerList;
import dev.tollgate.server.account.tenant.LimitService;
import dev.tollgate.server.account.tenant.NewKeyFields;
import dev.tollgate.server.account.tenant.WebhookSecretService;
import dev.tollgate.server.control.route.LinkHandlers.LinkRequest;
import dev.tollgate.server.control.route.LinkHandlers.PasswordResetRequest;
import dev.tollgate.server.control.route.OwnAccountHandlers.EmailRequest;
import dev.tollgate.server.control.route.OwnAccountHandlers.PasswordChange;
import dev.tollgate.server.control.route.OwnAccountHandlers.ProfilePatch;
import dev.tollgate.server.control.route.RouteSpec.Audience;
import dev.tollgate.server.control.route.SessionHandlers.Reauthentication;
import dev.tollgate.server.explorer.RequestFacets;

/** Table of all calls that the control plane's listener answers. */
public enum Route {
  META(get("M1", "/api/v1/meta").replies(Meta.class)),
  OPENAPI(get("M2", "/api/v1/openapi.json").replies(Object.class)),
  SHELL(get("M3", "/").to(Audience.FILES)),
  ASSET(get("M4", "/assets/{asset}").to(Audience.FILES)),

  SET_UP(
      post("S1", "/api/v1/setup")
          .body(SetUpRequest.class)
          .replies(201, SessionReply.class)
          .audited(SETUP_COMPLETE)),
  SIGN_IN(
      post("A1", "/api/v1/auth/sign-in")
          .body(SignInRequest.class)
          .replies(SessionReply.class)
          .audited(SESSION_SIGN_IN)),
  SIGN_OUT(post("A3", "/api/v1/auth/sign-out").empty(204).audited(SESSION_SIGN_OUT)),
  SESSION(get("U1", "/api/v1/session").to(Audience.SIGNED_IN).replies(CallerReply.class)),
  PROVE_AGAIN(
      post("U2", "/api/v1/session/reauthenticate")
          .to(Audience.PERSON)
          .body(Reauthentication.class)
          .empty(204)
          .audited(SESSION_REAUTHENTICATE)),
  SESSION_LIST(get("U6", "/api/v1/me/sessions").to(Audience.PERSON).lists(SessionEntry.class)),
  SESSION_REVOKE(
      delete("U7", "/api/v1/me/sessions/{session}")
          .to(Audience.PERSON)
          .empty(204)
          .audited(AuditAction.SESSION_REVOKE)),
  SESSIONS_REVOKE(
      delete("U8", "/api/v1/me/sessions")
          .to(Audience.PERSON)
          .empty(204)
          .audited(AuditAction.SESSION_REVOKE)),

  SIGN_UP(
      post("A4", "/api/v1/auth/sign-up").body(SignUpRequest.class).empty(202).audited(USER_CREATE)),
  EMAIL_VERIFY(
      post("A5", "/api/v1/auth/email/verify")
          .body(LinkRequest.class)
          .empty(204)
          .audited(USER_VERIFY)),
  EMAIL_RESEND(post("A6", "/api/v1/auth/email/resend").body(EmailRequest.class).empty(202)),
  PASSWORD_FORGOT(post("A7", "/api/v1/auth/password/forgot").body(EmailRequest.class).empty(202)),
  PASSWORD_RESET(
      post("A8", "/api/v1/auth/password/reset")
          .body(PasswordResetRequest.class)
          .empty(204)
          .audited(USER_PASSWORD_RESET)),
  INVITATION_LOOK(
      post("A11", "/api/v1/auth/invitations/look")
          .body(LinkRequest.class)
          .replies(InvitationLook.class)),
  INVITATION_ACCEPT(
      post("A12", "/api/v1/auth/invitations/accept")
          .body(Acceptance.class)
          .replies(SessionReply.class)
          .audited(MEMBER_JOIN)),

  PROFILE_UPDATE(
      patch("U3", "/api/v1/me")
          .to(Audience.PERSON)
          .body(ProfilePatch.class)
          .replies(UserView.class)
          .audited(USER_UPDATE)),
  PASSWORD_CHANGE(
      post("U4", "/api/v1/me/password")
          .to(Audience.PERSON)
          .body(PasswordChange.class)
          .empty(204)
          .audited(USER_PASSWORD)),
  EMAIL_CHANGE(
      post("U5", "/api/v1/me/email")
          .to(Audience.PERSON)
          .proved()
          .body(EmailRequest.class)
          .empty(202)),
  ACCOUNT_CLOSE(
      delete("U15", "/api/v1/me").to(Audience.PERSON).proved().empty(204).audited(USER_CLOSE)),

  ORGS(get("O1", "/api/v1/orgs").to(Audience.SIGNED_IN).replies(OrgHandlers.MembershipList.class)),
  ORG_CREATE(
      post("O2", "/api/v1/orgs")
          .to(Audience.PERSON)
          .body(OrgService.NewOrg.class)
          .creates(OrgView.class)
          .audited(AuditAction.ORG_CREATE)),
  ORG(get("O3", "/api/v1/orgs/{org}").in(Permission.ORG_READ).replies(OrgView.class)),
  ORG_CHANGE(
      patch("O4", "/api/v1/orgs/{org}")
          .in(Permission.ORG_UPDATE)
          .body(OrgPatch.class)
          .replies(OrgView.class)
          .audited(AuditAction.ORG_UPDATE)),
  ORG_CLOSE(
      delete("O5", "/api/v1/orgs/{org}")
          .in(Permission.ORG_CLOSE)
          .proved()
          .empty(204)
          .audited(AuditAction.ORG_CLOSE)),
  ORG_LEAVE(
      post("O6", "/api/v1/orgs/{org}/leave")
          .in(Permission.ORG_READ)
          .empty(204)
          .audited(AuditAction.MEMBER_LEAVE)),

  MEMBERS(
      get("B1", "/api/v1/orgs/{org}/members")
          .in(Permission.ORG_READ)
          .replies(Members.MemberList.class)),
  MEMBER_CHANGE(
      patch("B2 B3 B4", "/api/v1/orgs/{org}/members/{user}")
          .in(Permission.MEMBERS_WRITE)
          .proved()
          .body(MemberHandlers.RoleChange.class)
          .replies(MemberView.class)
          .audited(AuditAction.MEMBER_ROLE)),
  MEMBER_REMOVE(
      delete("B5 B6", "/api/v1/orgs/{org}/members/{user}")
          .in(Permission.MEMBERS_WRITE)
          .proved()
          .empty(204)
          .audited(AuditAction.MEMBER_REMOVE)),

  INVITATIONS(
      get("I1", "/api/v1/orgs/{org}/invitations")
          .in(Permission.INVITATIONS_READ)
          .replies(Invitations.InvitationList.class)),
  INVITATION_CREATE(
      post("I2 I3", "/api/v1/orgs/{org}/invitations")
          .in(Permission.INVITATIONS_WRITE)
          .active()
          .body(Invitations.NewInvitation.class)
          .creates(InvitationView.class)
          .audited(AuditAction.INVITATION_CREATE)),
  INVITATION_RESEND(
      post("I4", "/api/v1/orgs/{org}/invitations/{invitation}/resend")
          .in(Permission.INVITATIONS_WRITE)
          .active()
          .replies(202, InvitationView.class)
          .audited(AuditAction.INVITATION_RESEND)),
  INVITATION_REVOKE(
      delete("I5", "/api/v1/orgs/{org}/invitations/{invitation}")
          .in(Permission.INVITATIONS_WRITE)
          .empty(204)
          .audited(AuditAction.INVITATION_REVOKE)),

  KEYS(
      get("K1", "/api/v1/orgs/{org}/keys")
          .in(Permission.ORG_READ)
          .query(KeyHandlers.KeyFilters.class)
          .replies(KeyHandlers.KeyPage.class)),
  KEY_CREATE(
      post("K2", "/api/v1/orgs/{org}/keys")
          .in(Permission.KEYS_WRITE_OWN)
          .active()
          .body(NewKeyFields.class)
          .creates(KeyService.NewKey.class)
          .audited(AuditAction.KEY_CREATE)),
  KEY(
      get("K3 K14", "/api/v1/orgs/{org}/keys/{key}")
          .in(Permission.ORG_READ)
          .replies(KeyView.class)),
  KEY_CHANGE(
      patch("K4 K5", "/api/v1/orgs/{org}/keys/{key}")
          .in(Permission.KEYS_WRITE_OWN)
          .active()
          .body(KeyPatch.class)
          .replies(KeyView.class)
          .audited(AuditAction.KEY_UPDATE)),
  KEY_ROTATE(
      post("K6 K7", "/api/v1/orgs/{org}/keys/{key}/rotate")
          .in(Permission.KEYS_WRITE_OWN)
          .active()
          .replies(KeyService.RotatedKey.class)
          .audited(AuditAction.KEY_ROTATE)),
  KEY_DISABLE(
      post("K8 K9", "/api/v1/orgs/{org}/keys/{key}/disable")
          .in(Permission.KEYS_WRITE_OWN)
          .replies(KeyView.class)
          .audited(AuditAction.KEY_DISABLE)),
  KEY_ENABLE(
      post("K10 K11", "/api/v1/orgs/{org}/keys/{key}/enable")
          .in(Permission.KEYS_WRITE_OWN)
          .active()
          .replies(KeyView.class)
          .audited(AuditAction.KEY_ENABLE)),
  KEY_REVOKE(
      post("K12 K13", "/api/v1/orgs/{org}/keys/{key}/revoke")
          .in(Permission.KEYS_WRITE_OWN)
          .body(KeyHandlers.Revocation.class)
          .replies(KeyView.class)
          .audited(AuditAction.KEY_REVOKE)),

  CREDITS(
      get("C1", "/api/v1/orgs/{org}/credits").in(Permission.ORG_READ).replies(CreditsView.class)),
  LEDGER(
      get("C2", "/api/v1/orgs/{org}/ledger")
          .in(Permission.LEDGER_READ)
          .query(MoneyHandlers.ListQuery.class)
          .lists(LedgerList.LedgerLine.class)),
  SPENDING_LIMIT(
      put("C5", "/api/v1/orgs/{org}/spending-limit")
          .in(Permission.SPENDING_LIMIT_WRITE)
          .proved()
          .body(CreditService.SpendingLimit.class)
          .replies(CreditsView.class)
          .audited(AuditAction.LIMIT_SPENDING)),
  BUDGETS(
      get("C6", "/api/v1/orgs/{org}/budgets")
          .in(Permission.ORG_READ)
          .lists(BudgetService.Budget.class)),
  LIMITS(
      get("C7", "/api/v1/orgs/{org}/limits")
          .in(Permission.ORG_READ)
          .replies(LimitService.LimitsView.class)),

  WEBHOOK_SECRET(
      get("W1", "/api/v1/orgs/{org}/webhooks/secret")
          .in(Permission.ORG_READ)
          .replies(WebhookSecretService.SecretInfo.class)),
  WEBHOOK_SECRET_REVEAL(
      post("W2", "/api/v1/orgs/{org}/webhooks/secret/reveal")
          .in(Permission.WEBHOOK_SECRET_REVEAL)
          .proved()
          .replies(WebhookSecretService.Revealed.class)
          .audited(AuditAction.WEBHOOK_SECRET_REVEAL)),
  WEBHOOK_SECRET_ROTATE(
      post("W3", "/api/v1/orgs/{org}/webhooks/secret/rotate")
          .in(Permission.WEBHOOK_SECRET_ROTATE)
          .proved()
          .body(WebhookSecretHandlers.SecretRotation.class)
          .replies(WebhookSecretService.Rotated.class)
          .audited(AuditAction.WEBHOOK_SECRET_ROTATE)),

  AUDIT(
      get("V1", "/api/v1/orgs/{org}/audit")
          .in(Permission.AUDIT_READ)
          .query(AuditHandlers.ListQuery.class)
          .lists(AuditLog.AuditRow.class)),

  OPERATOR_ORGS(
      get("X2", "/api/v1/operator/orgs")
          .to(Audience.OPERATOR)
          .query(OperatorOrgHandlers.OrgFilters.class)
          .lists(OperatorOrgHandlers.OrgRow.class)),
  OPERATOR_ORG_CREATE(
      post("X3", "/api/v1/operator/orgs")
          .to(Audience.OPERATOR)
          .body(OperatorOrgs.OperatorNewOrg.class)
          .creates(OperatorOrgs.Created.class)
          .audited(AuditAction.ORG_CREATE)),
  OPERATOR_ORG_CHANGE(
      patch("X4", "/api/v1/operator/orgs/{org}")
          .to(Audience.OPERATOR)
          .proved()
          .body(OperatorOrgs.OperatorOrgPatch.class)
          .replies(OrgView.class)
          .audited(AuditAction.ORG_SUSPEND)),
  CREDITS_BOOK(
      post("X5", "/api/v1/operator/orgs/{org}/credits")
          .to(Audience.OPERATOR)
          .proved()
          .body(CreditService.Booking.class)
          .createsOrFinds(CreditService.Booked.class)
          .audited(AuditAction.CREDITS_BOOK)),

  USERS(
      get("X6", "/api/v1/operator/users")
          .to(Audience.OPERATOR)
          .query(OperatorUserHandlers.ListQuery.class)
          .lists(OperatorUsers.UserEntry.class)),
  USER(
      get("X7", "/api/v1/operator/users/{user}")
          .to(Audience.OPERATOR)
          .replies(OperatorUsers.UserEntry.class)),
  USER_CHANGE(
      patch("X8", "/api/v1/operator/users/{user}")
          .to(Audience.OPERATOR)
          .proved()
          .body(OperatorUserHandlers.UserEdit.class)
          .replies(OperatorUsers.UserEntry.class)
          .audited(AuditAction.USER_DISABLE)),
  USER_RESET_LINK(
      post("X9", "/api/v1/operator/users/{user}/reset-link")
          .to(Audience.OPERATOR)
          .proved()
          .replies(OperatorUserHandlers.ResetLink.class)
          .audited(AuditAction.USER_PASSWORD_RESET)),
  USER_SESSIONS_END(
      delete("X10", "/api/v1/operator/users/{user}/sessions")
          .to(Audience.OPERATOR)
          .empty(204)
          .audited(AuditAction.SESSION_REVOKE)),

  REQUESTS(
      get("R1", "/api/v1/orgs/{org}/requests")
          .in(ORG_READ)
          .shed()
          .query(RequestHandlers.ListQuery.class)
          .replies(RequestListing.class)),
  REQUEST(
      get("R2 R7", "/api/v1/orgs/{org}/requests/{request}")
          .in(ORG_READ)
          .shed()
          .replies(RequestReport.class)),
  REQUEST_HISTOGRAM(
      get("R3", "/api/v1/orgs/{org}/requests/histogram")
          .in(ORG_READ)
          .shed()
          .query(RequestSearch.class)
          .replies(HistogramView.class)),
  REQUEST_FACETS(
      get("R4", "/api/v1/orgs/{org}/requests/facets")
          .in(ORG_READ)
          .shed()
          .query(RequestSearch.class)
          .replies(RequestFacets.class)),

  MODELS(
      get("D1", "/api/v1/orgs/{org}/models")
          .in(ORG_READ)
          .shed()
          .query(ModelHandlers.ListQuery.class)
          .lists(ModelHandlers.ModelView.class));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final RouteSpec spec;

  Route(RouteDraft draft) {
    this.spec = draft.build(name());
  }

  public RouteSpec spec() {
    return spec;
  }
}
