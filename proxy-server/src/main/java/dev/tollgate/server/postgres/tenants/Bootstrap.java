package dev.tollgate.server.postgres.tenants;

import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.server.postgres.session.Transactions;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Creator of the first organization with its credit and API key, if the database has no
 * organization. It runs under the lock of the migrations, so of several nodes one creates it.
 */
public final class Bootstrap {
  private Bootstrap() {}

  /**
   * Organization to create.
   *
   * @param key the operator's own key; null means that one is generated
   */
  public record Plan(String organization, MicroUsd credit, ApiKeyText.@Nullable ValidKey key) {}

  /** Created organization and key; the secret is stored nowhere else. */
  public record Made(Organizations.StoredOrg org, StoredKey key, ApiKeyText.ValidKey secret) {}

  public static Optional<Made> run(Connection connection, Seal seal, Plan plan)
      throws SQLException {
    return Transactions.run(
        connection,
        open -> holdsOrganization(open) ? Optional.empty() : Optional.of(make(open, seal, plan)));
  }

  private static Made make(Connection connection, Seal seal, Plan plan) throws SQLException {
    var org = Organizations.insert(connection, seal, plan.organization(), null).orElseThrow();
    if (plan.credit().isPositive()) {
      Credits.record(
          connection, Credits.funding(org.org().id(), plan.credit(), "bootstrap", "bootstrap"));
    }
    ApiKeyText.ValidKey configured = plan.key();
    ApiKeyText.ValidKey secret =
        configured != null ? configured : ApiKeyText.generate(new SecureRandom());
    StoredKey key =
        ApiKeys.insert(
            connection,
            org.org().id(),
            ApiKeys.ApiKeySpec.named("bootstrap"),
            ApiKeys.Origin.UNKNOWN,
            secret);
    return new Made(org, key, secret);
  }

  private static boolean holdsOrganization(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT EXISTS (SELECT 1 FROM organization)")) {
      row.next();
      return row.getBoolean(1);
    }
  }
}
