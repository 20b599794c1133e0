package dev.tollgate.server.wiring;

import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.account.tenant.OrgMail;
import dev.tollgate.server.mail.MailOutbox;
import dev.tollgate.server.mail.MailTexts;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.Settings;
import java.sql.Connection;
import java.sql.SQLException;

/** Mails about organizations in the outbox, which any node sends. */
public final class OutboxOrgMail implements OrgMail {
  private final MailOutbox outbox;

  OutboxOrgMail(MailOutbox outbox) {
    this.outbox = outbox;
  }

  public static OrgMail of(Settings settings, Store store) {
    return new OutboxOrgMail(AccountModule.outbox(settings, store, store.pool()));
  }

  @Override
  public void webhookSecretRotated(Connection connection, String to, String organization)
      throws SQLException {
    outbox.add(connection, MailTexts.webhookSecretRotated(to, organization));
  }

  @Override
  public void monthlyLimitReached(
      Connection connection, String to, String organization, int percent, long limitMicro)
      throws SQLException {
    var limit = new MicroUsd(limitMicro);
    outbox.add(connection, MailTexts.monthlyLimitReached(to, organization, percent, limit));
  }

  @Override
  public void balanceIsBelow(Connection connection, String to, String organization, long micro)
      throws SQLException {
    outbox.add(connection, MailTexts.balanceIsBelow(to, organization, new MicroUsd(micro)));
  }
}
