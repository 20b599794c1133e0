package dev.tollgate.server.postgres.tenants;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.Org;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * DAO of organizations in PostgreSQL: creation, queries and changes. Callers identify one by its
 * name or its id.
 */
public final class Organizations {
  private static final String SELECT =
      """
      SELECT o.id, o.name, o.state, o.monthly_limit_micro, o.created_at,
             coalesce((SELECT limit_micro - used_micro FROM scope_account a
                        WHERE a.scope_id = 'org:' || o.id), 0) AS balance_micro,
             (SELECT count(*) FROM api_key k WHERE k.org_id = o.id AND k.state <> 'revoked')::int
               AS keys
        FROM organization o
      """;

  private final DataSource pool;
  private final Seal seal;

  public Organizations(DataSource pool, Seal seal) {
    this.pool = pool;
    this.seal = seal;
  }

  /**
   * Row of an organization, with the fields that administration needs.
   *
   * @param balance the credits less the charges
   * @param keys number of keys that are not revoked
   */
  public record StoredOrg(
      Org org, @Nullable MicroUsd monthlyLimit, MicroUsd balance, int keys, Instant createdAt) {}

  /** Result of {@link #create}: the new organization, or the reason for its refusal. */
  public sealed interface OrgCreation {
    record Created(StoredOrg org) implements OrgCreation {}

    record NameTaken() implements OrgCreation {}
  }

  public OrgCreation create(String name, @Nullable MicroUsd monthlyLimit) throws SQLException {
    return Transactions.run(
        pool,
        connection ->
            insert(connection, seal, name, monthlyLimit)
                .<OrgCreation>map(OrgCreation.Created::new)
                .orElseGet(OrgCreation.NameTaken::new));
  }

  /** Returns all organizations, by name. */
  public List<StoredOrg> list() throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement select = connection.prepareStatement(SELECT + " ORDER BY o.name");
        ResultSet row = select.executeQuery()) {
      List<StoredOrg> all = new ArrayList<>();
      while (row.next()) {
        all.add(read(row));
      }
      return all;
    }
  }

  /** Returns the ids of all organizations, by name. */
  public List<OrgId> ids() throws SQLException {
    return list().stream().map(stored -> stored.org().id()).toList();
  }

  public Optional<StoredOrg> find(String nameOrId) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return find(connection, nameOrId);
    }
  }

  /** Suspends or resumes an organization; empty if it does not exist. */
  public Optional<StoredOrg> setState(String nameOrId, Org.State state) throws SQLException {
    return update(nameOrId, "state = ?", state.name().toLowerCase(Locale.ROOT));
  }

  /** Sets or, with null, removes the monthly spending limit. */
  public Optional<StoredOrg> setMonthlyLimit(String nameOrId, @Nullable MicroUsd limit)
      throws SQLException {
    return limit == null
        ? update(nameOrId, "monthly_limit_micro = nullif(?, 0)", 0L)
        : update(nameOrId, "monthly_limit_micro = ?", limit.value());
  }

  /** Creates an organization in the caller's transaction; empty if the name is taken. */
  public Optional<StoredOrg> insert(
      Connection connection, String name, @Nullable MicroUsd monthlyLimit) throws SQLException {
    return insert(connection, seal, name, monthlyLimit);
  }

  static Optional<StoredOrg> insert(
      Connection connection, Seal seal, String name, @Nullable MicroUsd monthlyLimit)
      throws SQLException {
    var id = new OrgId(UUID.randomUUID());
    Seal.StoredSecret secret = seal.seal(id, WebhookSecrets.make());
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO organization (id, name, monthly_limit_micro, webhook_secret,"
                + " webhook_secret_key) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING")) {
      insert.setObject(1, id.value());
      insert.setString(2, name);
      insert.setObject(3, monthlyLimit == null ? null : monthlyLimit.value());
      insert.setBytes(4, secret.bytes());
      insert.setString(5, secret.key());
      return insert.executeUpdate() == 0 ? Optional.empty() : find(connection, name);
    }
  }

  private static final String BY_NAME_OR_ID = "(o.name = ? OR o.id::text = ?)";

  private static Optional<StoredOrg> find(Connection connection, String nameOrId)
      throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(SELECT + " WHERE " + BY_NAME_OR_ID)) {
      select.setString(1, nameOrId);
      select.setString(2, nameOrId);
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? Optional.of(read(row)) : Optional.empty();
      }
    }
  }

  private Optional<StoredOrg> update(String nameOrId, String assignment, Object value)
      throws SQLException {
    return Transactions.run(
        pool,
        connection -> {
          try (PreparedStatement update =
              connection.prepareStatement(
                  "UPDATE organization o SET " + assignment + " WHERE " + BY_NAME_OR_ID)) {
            update.setObject(1, value);
            update.setString(2, nameOrId);
            update.setString(3, nameOrId);
            return update.executeUpdate() == 0 ? Optional.empty() : find(connection, nameOrId);
          }
        });
  }

  private static StoredOrg read(ResultSet row) throws SQLException {
    return new StoredOrg(
        new Org(
            new OrgId(row.getObject("id", UUID.class)),
            row.getString("name"),
            Org.State.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
            StoredKey.money(row, "monthly_limit_micro")),
        StoredKey.money(row, "monthly_limit_micro"),
        new MicroUsd(row.getLong("balance_micro")),
        row.getInt("keys"),
        row.getObject("created_at", OffsetDateTime.class).toInstant());
  }
}
