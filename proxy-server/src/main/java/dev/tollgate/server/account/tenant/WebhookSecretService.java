package dev.tollgate.server.account.tenant;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.webhook.WebhookSecret;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import dev.tollgate.server.postgres.tenants.Seal.UnsealResult;
import dev.tollgate.server.postgres.tenants.WebhookSecrets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Service of the secret that signs an organization's webhooks. */
public final class WebhookSecretService {
  public static final Duration KEEP_MAX = Duration.ofDays(7);

  private static final String SELECT =
      """
      SELECT coalesce(webhook_secret_at, created_at) AS made_at,
             CASE WHEN webhook_secret_before_until > ledger_now()
                  THEN webhook_secret_before_until END AS previous_until,
             webhook_secret_key IS NOT NULL AS sealed
        FROM organization WHERE id = ?""";

  private static final String OWNERS =
      """
      SELECT u.email FROM membership m JOIN user_account u ON u.id = m.user_id
       WHERE m.org_id = ? AND m.role = 'owner' AND u.state = 'active' AND u.email IS NOT NULL
       ORDER BY m.joined_at, u.id LIMIT ?""";

  /** The most owners who get a mail. */
  private static final int MAILS_MAX = 20;

  private final DataSource pool;
  private final WebhookSecrets secrets;
  private final OrgMail mail;

  public WebhookSecretService(DataSource pool, WebhookSecrets secrets, OrgMail mail) {
    this.pool = pool;
    this.secrets = secrets;
    this.mail = mail;
  }

  /**
   * What may be shown of the secret.
   *
   * @param previousUntil until when the previous secret signs too; null: it does not
   * @param sealed true if the store holds it encrypted
   */
  public record SecretInfo(Instant createdAt, @Nullable Instant previousUntil, boolean sealed) {}

  /** The secret itself. */
  public record Revealed(String secret) {
    @Override
    public String toString() {
      return "Revealed[secret=***]";
    }
  }

  /** New secret, and until when the previous one signs too. */
  public record Rotated(String secret, @Nullable Instant previousUntil) {
    @Override
    public String toString() {
      return "Rotated[secret=***, previousUntil=" + previousUntil + "]";
    }
  }

  public SecretInfo info(OrgAccess access) throws SQLException {
    access.require(Permission.ORG_READ);
    try (Connection connection = pool.getConnection()) {
      return info(connection, access);
    }
  }

  private static SecretInfo info(Connection connection, OrgAccess access) throws SQLException {
    return Statements.first(
            connection,
            SELECT,
            row ->
                new SecretInfo(
                    Statements.requiredInstant(row, "made_at"),
                    Statements.instant(row, "previous_until"),
                    row.getBoolean("sealed")),
            access.org().value())
        .orElseThrow(Refused::notFound);
  }

  /** Returns the secret, and notes in the audit log who saw it. */
  public Revealed reveal(OrgAccess access) throws SQLException {
    access.require(Permission.WEBHOOK_SECRET_REVEAL);
    return Transactions.run(
        pool,
        connection -> {
          UnsealResult found = secrets.of(connection, access.org()).orElseThrow(Refused::notFound);
          String secret = opened(found);
          AuditTrail.write(connection, access, AuditAction.WEBHOOK_SECRET_REVEAL, access.target());
          return new Revealed(secret);
        });
  }

  /**
   * Creates a new secret, and tells the owners.
   *
   * @param keep time for which the previous one signs too
   */
  public Rotated rotate(OrgAccess access, Duration keep) throws SQLException {
    access.require(Permission.WEBHOOK_SECRET_ROTATE);
    if (keep.isNegative() || keep.compareTo(KEEP_MAX) > 0) {
      throw Refused.invalid("keep_seconds", "must be 0 to " + KEEP_MAX.toSeconds());
    }
    return Transactions.run(
        pool,
        connection -> {
          UnsealResult made =
              secrets.rotate(connection, access.org(), keep).orElseThrow(Refused::notFound);
          String secret = opened(made);
          AuditTrail.write(
              connection,
              access,
              AuditAction.WEBHOOK_SECRET_ROTATE,
              access.target(),
              new Change("keep_seconds", null, keep.toSeconds()));
          tellOwners(connection, access);
          return new Rotated(secret, info(connection, access).previousUntil());
        });
  }

  private void tellOwners(Connection connection, OrgAccess access) throws SQLException {
    List<String> owners =
        Statements.list(
            connection, OWNERS, row -> row.getString("email"), access.org().value(), MAILS_MAX);
    for (String owner : owners) {
      mail.webhookSecretRotated(connection, owner, access.orgName());
    }
  }

  private static String opened(UnsealResult result) {
    return switch (result) {
      case UnsealResult.Opened(byte[] bytes) -> new WebhookSecret(bytes).reveal();
      case UnsealResult.KeyMissing missing ->
          throw notConfigured(
              "The secret is sealed with the master key %s, which is not configured."
                  .formatted(missing.key()));
      case UnsealResult.Damaged _ ->
          throw notConfigured(
              "The secret cannot be opened; rotate it with keep_seconds 0 to have a new one.");
    };
  }

  private static Refused notConfigured(String message) {
    return Refused.of(ErrorCode.NOT_CONFIGURED, message);
  }
}
