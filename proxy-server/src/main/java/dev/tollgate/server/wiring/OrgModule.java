package dev.tollgate.server.wiring;

import dev.tollgate.server.account.org.AuditLog;
import dev.tollgate.server.account.org.InvitationLinks;
import dev.tollgate.server.account.org.Invitations;
import dev.tollgate.server.account.org.Members;
import dev.tollgate.server.account.org.OperatorOrgs;
import dev.tollgate.server.account.org.OrgService;
import dev.tollgate.server.account.tenant.CreditService;
import dev.tollgate.server.control.route.AuditHandlers;
import dev.tollgate.server.control.route.Handlers;
import dev.tollgate.server.control.route.InvitationHandlers;
import dev.tollgate.server.control.route.MemberHandlers;
import dev.tollgate.server.control.route.OperatorOrgHandlers;
import dev.tollgate.server.control.route.OperatorUserHandlers;
import dev.tollgate.server.control.route.OrgHandlers;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.ControlPlaneSettings;
import javax.sql.DataSource;

/** Wiring of the calls of organizations, their members and invitations, and of operators. */
final class OrgModule {
  private final Store store;
  private final DataSource pool;
  private final ControlModule.Node node;
  private final AccountModule.Services accounts;

  OrgModule(
      Store store, DataSource pool, ControlModule.Node node, AccountModule.Services accounts) {
    this.store = store;
    this.pool = pool;
    this.node = node;
    this.accounts = accounts;
  }

  /** Returns the service of people who follow the link of an invitation. */
  InvitationLinks invitationLinks() {
    return new InvitationLinks(pool, new InvitedPeople(accounts.passwords()));
  }

  void addTo(Handlers.Builder handlers) {
    OrgHandlers.add(handlers, orgs());
    MemberHandlers.add(handlers, new Members(pool));
    var invitations = new Invitations(pool, accounts.mail()::invite);
    InvitationHandlers.add(handlers, invitations);
    AuditHandlers.add(handlers, new AuditLog(pool));
    Runnable onChange = node.onTenantChange();
    OperatorOrgHandlers.add(
        handlers,
        pool,
        new OperatorOrgs(pool, store.organizations(), this::keysMax, invitations, onChange),
        new CreditService(pool, onChange));
    OperatorUserHandlers.add(handlers, accounts.users());
  }

  private OrgService orgs() {
    var settings = node.configuration().get().settings().controlPlane(); // changes need a restart
    return new OrgService(
        pool,
        store.organizations(),
        this::keysMax,
        settings.signup() == ControlPlaneSettings.Signup.OPEN,
        node.onTenantChange());
  }

  private int keysMax() {
    return node.configuration().get().settings().limits().org().maxApiKeys();
  }
}
