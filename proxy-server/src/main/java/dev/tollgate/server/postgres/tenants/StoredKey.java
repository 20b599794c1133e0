package dev.tollgate.server.postgres.tenants;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Row of an API key, with the fields that only administration needs. */
public record StoredKey(
    ApiKey key,
    Instant createdAt,
    String createdBy,
    @Nullable Instant revokedAt,
    @Nullable KeyId replacedBy,
    @Nullable String note,
    int version) {

  /** Columns of a key and its organization that {@link #read} needs. */
  static final String SELECT =
      """
      SELECT k.id, coalesce(k.lineage, k.id) AS lineage, k.name, k.last_four, k.state, k.expires_at, k.hash,
             k.allowed_models, k.allowed_modalities, k.allowed_ips,
             k.requests_per_second, k.requests_per_minute, k.tokens_per_minute, k.concurrency,
             k.daily_budget_micro, k.monthly_budget_micro,
             k.created_at, k.created_by, k.revoked_at, k.replaced_by, k.note, k.version,
             o.id AS org_id, o.name AS org_name, o.state AS org_state,
             o.monthly_limit_micro AS org_monthly_limit_micro
        FROM api_key k JOIN organization o ON o.id = k.org_id
      """;

  /** Returns what a change may change. */
  public ApiKeys.ApiKeySpec spec() {
    return new ApiKeys.ApiKeySpec(key.name(), key.scope(), key.limits(), key.expiresAt());
  }

  static StoredKey read(ResultSet row) throws SQLException {
    String replacedBy = row.getString("replaced_by");
    return new StoredKey(
        readKey(row),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        row.getString("created_by"),
        instant(row, "revoked_at"),
        replacedBy == null ? null : new KeyId(replacedBy),
        row.getString("note"),
        row.getInt("version"));
  }

  static ApiKey readKey(ResultSet row) throws SQLException {
    return new ApiKey(
        new KeyId(row.getString("id")),
        new KeyId(row.getString("lineage")),
        row.getString("name"),
        row.getString("last_four"),
        new Org(
            new OrgId(row.getObject("org_id", UUID.class)),
            row.getString("org_name"),
            Org.State.valueOf(row.getString("org_state").toUpperCase(Locale.ROOT)),
            money(row, "org_monthly_limit_micro")),
        KeyState.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
        instant(row, "expires_at"),
        new ApiKey.KeyScope(
            texts(row, "allowed_models"),
            texts(row, "allowed_modalities"),
            texts(row, "allowed_ips")),
        readLimits(row));
  }

  private static ApiKey.KeyLimits readLimits(ResultSet row) throws SQLException {
    return new ApiKey.KeyLimits(
        row.getObject("requests_per_second", Integer.class),
        row.getObject("requests_per_minute", Integer.class),
        row.getObject("tokens_per_minute", Long.class),
        row.getObject("concurrency", Integer.class),
        money(row, "daily_budget_micro"),
        money(row, "monthly_budget_micro"));
  }

  static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  static @Nullable public MicroUsd money(ResultSet row, String column) throws SQLException {
    Long micro = row.getObject(column, Long.class);
    return micro == null ? null : new MicroUsd(micro);
  }

  private static Set<String> texts(ResultSet row, String column) throws SQLException {
    return Set.of((String[]) row.getArray(column).getArray());
  }
}
