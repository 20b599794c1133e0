package dev.tollgate.server.wiring;

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

  private OutboxOrgMail(MailOutbox outbox) {
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
}
