package dev.tollgate.server.account.tenant;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.server.account.AccountTransactions;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.AuditEntry.Target;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.Page.Slice;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.Versioned;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.tenants.ApiKeys;
import dev.tollgate.server.postgres.tenants.ApiKeys.ApiKeySpec;
import dev.tollgate.server.postgres.tenants.ApiKeys.KeyCreation;
import dev.tollgate.server.postgres.tenants.ApiKeys.Origin;
import dev.tollgate.server.postgres.tenants.StoredKey;
import dev.tollgate.server.settings.LimitSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Service of an organization's API keys. Members with the role developer change the keys that they
 * made, within the organization's policy; a change is in force on every node within 5 seconds.
 */
public final class KeyService {
  private final DataSource pool;
  private final Supplier<LimitSettings> limits;
  private final Supplier<Set<ModelId>> models;
  private final Runnable onChange;

  /**
   * @param models ids of the models that scopes can name
   * @param onChange called after each commit, so that this node and others see the change before
   *     their next poll
   */
  public KeyService(
      DataSource pool,
      Supplier<LimitSettings> limits,
      Supplier<Set<ModelId>> models,
      Runnable onChange) {
    this.pool = pool;
    this.limits = limits;
    this.models = models;
    this.onChange = onChange;
  }

  /** New key with its secret, which leaves once. */
  public record NewKey(KeyView key, String secret) implements Versioned {
    @Override
    public int version() {
      return key.version();
    }

    @Override
    public String toString() {
      return "NewKey[key=" + key + ", secret=***]";
    }
  }

  /** Key that replaces another, with its secret, which leaves once. */
  public record RotatedKey(KeyView key, String secret, OldKey old) implements Versioned {
    @Override
    public int version() {
      return key.version();
    }

    @Override
    public String toString() {
      return "RotatedKey[key=" + key + ", secret=***, old=" + old + "]";
    }
  }

  /** Key that was replaced. */
  public record OldKey(String id, @Nullable Instant revokedAt) {}

  /** Returns a part of the organization's keys. */
  public KeyQuery.KeyList list(OrgAccess access, KeyQuery query, Page page) throws SQLException {
    access.require(Permission.ORG_READ);
    try (Connection connection = pool.getConnection()) {
      List<KeyRows.Listed> rows = KeyRows.list(connection, access.org(), query, page, defaults());
      Slice<KeyRows.Listed> slice = page.slice(rows, KeyRows.Listed::position);
      return new KeyQuery.KeyList(
          slice.data().stream().map(KeyRows.Listed::key).toList(),
          KeyRows.count(connection, access.org(), query),
          keysMax(maxOf(connection, access.org())),
          slice.next());
    }
  }

  private static @Nullable Integer maxOf(Connection connection, OrgId org) throws SQLException {
    return Statements.first(
            connection,
            "SELECT max_api_keys FROM organization WHERE id = ? AND max_api_keys IS NOT NULL",
            row -> row.getInt(1),
            org.value())
        .orElse(null);
  }

  public KeyView get(OrgAccess access, KeyId id) throws SQLException {
    access.require(Permission.ORG_READ);
    try (Connection connection = pool.getConnection()) {
      return shown(connection, access, id);
    }
  }

  /** Creates a key. */
  public NewKey create(OrgAccess access, NewKeyFields wish, IdempotencyClaim claim)
      throws SQLException {
    access.require(Permission.KEYS_WRITE_OWN);
    access.requireActive();
    KeyPatch fields = wish.fields();
    if (!fields.name().isSet() && wish.copyOf() == null) {
      throw Refused.invalid("name", "is required");
    }
    KeyRules.require(fields, models);
    NewKey made =
        AccountTransactions.create(
            pool, claim, connection -> create(connection, access, fields, wish.copyOf()));
    onChange.run();
    return made;
  }

  private NewKey create(
      Connection connection, OrgAccess access, KeyPatch wish, @Nullable KeyId copyOf)
      throws SQLException {
    KeyPolicy policy = KeyPolicy.lock(connection, access.org());
    access.requireActive(!policy.isSuspended());
    boolean isBound = !access.has(Permission.KEYS_WRITE_ALL);
    if (isBound && !policy.developersCreate()) {
      throw Refused.forbidden(RefusalReason.DEVELOPERS_MAY_NOT_CREATE);
    }
    policy.requireFuture(wish);
    StoredKey model = copyOf == null ? null : model(connection, access.org(), copyOf);
    ApiKeySpec spec = wish.applyTo(model == null ? ApiKeySpec.named("") : model.spec());
    if (isBound) {
      policy.require(spec, wish, true);
    }
    String note = wish.note().applyToNullable(model == null ? null : model.note());
    var origin = new Origin(access.caller().reference(), note);
    int max = keysMax(policy.keysMax());
    return switch (ApiKeys.create(connection, access.org(), spec, origin, max)) {
      case KeyCreation.Created(StoredKey key, var secret) -> {
        Change[] changes = KeyFields.changes(null, key);
        AuditTrail.write(connection, access, AuditAction.KEY_CREATE, target(key), changes);
        yield new NewKey(shown(connection, access, key.key().id()), secret.text());
      }
      case KeyCreation.UnknownOrg _ -> throw Refused.notFound();
      case KeyCreation.TooMany many -> throw tooMany(many.max());
    };
  }

  private static StoredKey model(Connection connection, OrgId org, KeyId copyOf)
      throws SQLException {
    return ApiKeys.find(connection, copyOf)
        .filter(key -> key.key().org().id().equals(org))
        .orElseThrow(() -> Refused.invalid("copy_of", "is no key of this organization"));
  }

  private static Refused tooMany(int max) {
    return new Refused(
        Fault.of(
                ErrorCode.MAX_API_KEYS_REACHED,
                "The organization has %d keys, which is its maximum.".formatted(max))
            .withDetails(Map.of("max", max)));
  }

  /**
   * Changes a key.
   *
   * @param version the version that the caller saw; null: whichever it is
   */
  public KeyView change(OrgAccess access, KeyId id, KeyPatch patch, @Nullable Integer version)
      throws SQLException {
    requireWriter(access);
    access.requireActive();
    KeyRules.require(patch, models);
    return AccountTransactions.run(
        pool,
        onChange,
        connection -> {
          KeyPolicy policy = KeyPolicy.lock(connection, access.org());
          access.requireActive(!policy.isSuspended());
          StoredKey key = lockOwn(connection, access, id);
          policy.requireFuture(patch);
          ApiKeySpec spec = patch.applyTo(key.spec());
          if (!access.has(Permission.KEYS_WRITE_ALL)) {
            policy.require(spec, patch, false);
          }
          Versioned.requireSeen(version, key.version());
          requireNotRevoked(key);
          String note = patch.note().applyToNullable(key.note());
          ApiKeys.update(connection, id, spec, note);
          StoredKey after = ApiKeys.find(connection, id).orElseThrow();
          Change[] changes = KeyFields.changes(key, after);
          AuditTrail.write(connection, access, AuditAction.KEY_UPDATE, target(after), changes);
          return shown(connection, access, id);
        });
  }

  /** Revokes a key and creates one like it, whose windows go on. */
  public RotatedKey rotate(OrgAccess access, KeyId id) throws SQLException {
    requireWriter(access);
    access.requireActive();
    return AccountTransactions.run(
        pool,
        onChange,
        connection -> {
          access.requireActive(!KeyPolicy.lock(connection, access.org()).isSuspended());
          StoredKey key = lockOwn(connection, access, id);
          requireNotRevoked(key);
          var made = ApiKeys.rotate(connection, id);
          KeyId newId = made.secret().keyId();
          AuditTrail.write(
              connection,
              access,
              AuditAction.KEY_ROTATE,
              target(key),
              new Change("replaced_by", null, newId.value()));
          return new RotatedKey(
              shown(connection, access, newId),
              made.secret().text(),
              new OldKey(id.value(), shown(connection, access, id).revokedAt()));
        });
  }

  public KeyView disable(OrgAccess access, KeyId id) throws SQLException {
    return setState(access, id, KeyState.DISABLED, AuditAction.KEY_DISABLE, null);
  }

  public KeyView enable(OrgAccess access, KeyId id) throws SQLException {
    requireWriter(access);
    access.requireActive();
    return setState(access, id, KeyState.ACTIVE, AuditAction.KEY_ENABLE, null);
  }

  /** Revokes a key, finally. */
  public KeyView revoke(OrgAccess access, KeyId id, @Nullable String reason) throws SQLException {
    KeyRules.requireReason(reason);
    return setState(access, id, KeyState.REVOKED, AuditAction.KEY_REVOKE, reason);
  }

  private KeyView setState(
      OrgAccess access, KeyId id, KeyState state, AuditAction action, @Nullable String reason)
      throws SQLException {
    requireWriter(access);
    return AccountTransactions.run(
        pool,
        onChange,
        connection -> {
          KeyPolicy policy = KeyPolicy.lock(connection, access.org());
          if (state == KeyState.ACTIVE) {
            access.requireActive(!policy.isSuspended());
          }
          StoredKey key = lockOwn(connection, access, id);
          if (key.key().state() == state) {
            return shown(connection, access, id);
          }
          requireNotRevoked(key);
          ApiKeys.setState(connection, id, state);
          AuditTrail.write(
              connection,
              access,
              action,
              target(key),
              new Change("reason", null, reason),
              new Change("state", KeyFields.wire(key.key().state()), KeyFields.wire(state)));
          return shown(connection, access, id);
        });
  }

  private static void requireWriter(OrgAccess access) {
    if (!access.has(Permission.KEYS_WRITE_ALL)) {
      access.require(Permission.KEYS_WRITE_OWN);
    }
  }

  /** Locks a key that the caller may change. */
  private static StoredKey lockOwn(Connection connection, OrgAccess access, KeyId id)
      throws SQLException {
    String maker =
        Statements.first(
                connection,
                "SELECT created_by FROM api_key WHERE id = ? AND org_id = ? FOR UPDATE",
                row -> row.getString(1),
                id.value(),
                access.org().value())
            .orElseThrow(Refused::notFound);
    if (!access.has(Permission.KEYS_WRITE_ALL) && !maker.equals(access.caller().reference())) {
      throw Refused.forbidden();
    }
    return ApiKeys.find(connection, id).orElseThrow(Refused::notFound);
  }

  private static void requireNotRevoked(StoredKey key) {
    if (key.key().state() == KeyState.REVOKED) {
      throw Refused.conflict("The key is revoked, which is final.");
    }
  }

  private KeyView shown(Connection connection, OrgAccess access, KeyId id) throws SQLException {
    return KeyRows.find(connection, access.org(), id.value(), defaults())
        .orElseThrow(Refused::notFound);
  }

  private LimitRules.PerKey defaults() {
    return limits.get().rules().key();
  }

  private int keysMax(@Nullable Integer own) {
    return own == null ? limits.get().org().maxApiKeys() : own;
  }

  private static Target target(StoredKey key) {
    return new Target("key", key.key().id().value(), key.key().name());
  }
}
