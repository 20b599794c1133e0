package dev.tollgate.server.postgres;

import static dev.tollgate.server.postgres.TestLedgerStore.opened;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.session.DatabaseAccess;
import dev.tollgate.server.postgres.session.Migrations;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.postgres.session.Transactions;
import dev.tollgate.server.postgres.tenants.ApiKeys;
import dev.tollgate.server.postgres.tenants.Bootstrap;
import dev.tollgate.server.postgres.tenants.Credits;
import dev.tollgate.server.postgres.tenants.KeyChanges;
import dev.tollgate.server.postgres.tenants.Organizations;
import dev.tollgate.server.postgres.tenants.WebhookSecrets;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Organizations, keys and credits in PostgreSQL, and the notifications of their changes. */
@Execution(ExecutionMode.CONCURRENT)
class TenantsIT {
  private static final int NO_LIMIT = 0;
  private static Store store;

  @BeforeAll
  static void open() throws Exception {
    store = SharedPostgres.newStore();
  }

  @AfterAll
  static void close() {
    store.close();
  }

  @Test
  void anOrganizationIsFoundByNameAndById() throws Exception {
    var org = newOrg();
    assertThat(store.organizations().find(org.org().name())).contains(org);
    assertThat(store.organizations().find(org.org().id().toString())).contains(org);
    assertThat(store.organizations().find("nobody")).isEmpty();
    assertThat(store.organizations().list()).contains(org);
    assertThat(store.organizations().create(org.org().name(), null))
        .isEqualTo(new Organizations.OrgCreation.NameTaken());
  }

  @Test
  void anOrganizationIsSuspendedAndLimited() throws Exception {
    String name = newOrg().org().name();
    var organizations = store.organizations();
    assertThat(organizations.setState(name, Org.State.SUSPENDED).orElseThrow().org().state())
        .isEqualTo(Org.State.SUSPENDED);
    assertThat(organizations.setMonthlyLimit(name, new MicroUsd(5)).orElseThrow().monthlyLimit())
        .isEqualTo(new MicroUsd(5));
    assertThat(organizations.setMonthlyLimit(name, MicroUsd.ZERO).orElseThrow().monthlyLimit())
        .isEqualTo(MicroUsd.ZERO);
    assertThat(organizations.setMonthlyLimit(name, null).orElseThrow().monthlyLimit()).isNull();
    assertThat(organizations.setState("nobody", Org.State.ACTIVE)).isEmpty();
  }

  @Test
  void aWebhookSecretIsKeptUntilItIsRotated() throws Exception {
    String name = newOrg().org().name();
    WebhookSecrets secrets = store.webhookSecrets();
    byte[] first = opened(secrets.of(name));
    assertThat(first).hasSize(32);
    assertThat(opened(secrets.of(name))).isEqualTo(first);
    byte[] second = opened(secrets.rotate(name, Duration.ZERO));
    assertThat(second).isNotEqualTo(first);
    assertThat(opened(secrets.of(name))).isEqualTo(second);
    assertThat(secrets.of("nobody")).isEmpty();
    assertThat(secrets.rotate("nobody", Duration.ZERO)).isEmpty();
  }

  @Test
  void aGrantIsRecordedOnceAndNeverChanged() throws Exception {
    var org = newOrg();
    String ref = UUID.randomUUID().toString();
    OrgId id = org.org().id();
    assertThat(store.credits().grant(id, new MicroUsd(250), ref, "test"))
        .isEqualTo(Credits.Grant.RECORDED);
    assertThat(store.credits().grant(id, new MicroUsd(250), ref, "test"))
        .isEqualTo(Credits.Grant.ALREADY_RECORDED);
    assertThat(store.credits().grant(id, new MicroUsd(251), ref, "test"))
        .isEqualTo(Credits.Grant.REFERENCE_TAKEN);
    assertThat(store.credits().grant(newOrg().org().id(), new MicroUsd(250), ref, "test"))
        .isEqualTo(Credits.Grant.REFERENCE_TAKEN);
    assertThat(store.credits().grant(id, new MicroUsd(50), ref + "2", "test"))
        .isEqualTo(Credits.Grant.RECORDED);
    assertThat(store.organizations().find(org.org().name()).orElseThrow().balance())
        .isEqualTo(new MicroUsd(300));
    for (String change :
        List.of(
            "UPDATE ledger_entry SET amount_micro = 1",
            "DELETE FROM ledger_entry",
            "TRUNCATE ledger_entry")) {
      assertThatThrownBy(() -> execute(change)).hasMessageContaining("never changed");
    }
  }

  @Test
  void aKeyIsDisabledEnabledAndRevokedForGood() throws Exception {
    var made = newKey(newOrg().org().id());
    KeyId id = made.key().key().id();
    var keys = store.apiKeys();

    assertThat(stateAfter(keys.disable(id))).isEqualTo(KeyState.DISABLED);
    assertThat(stateAfter(keys.disable(id))).isEqualTo(KeyState.DISABLED);
    assertThat(stateAfter(keys.enable(id))).isEqualTo(KeyState.ACTIVE);
    assertThat(stateAfter(keys.revoke(id))).isEqualTo(KeyState.REVOKED);
    assertThat(keys.find(id).orElseThrow().revokedAt()).isNotNull();
    for (var change :
        List.of(keys.enable(id), keys.disable(id), keys.revoke(id), keys.rotate(id))) {
      assertThat(change).isEqualTo(new ApiKeys.KeyUpdate.Revoked());
    }
    assertThat(keys.revoke(new KeyId("00000000"))).isEqualTo(new ApiKeys.KeyUpdate.UnknownKey());
  }

  @Test
  void rotationRevokesTheOldKeyAndCopiesAllOfIt() throws Exception {
    OrgId org = newOrg().org().id();
    var wish =
        new ApiKeys.ApiKeySpec(
            "prod",
            new KeyScope(Set.of("a/b"), Set.of("chat"), Set.of("10.0.0.1")),
            new KeyLimits(1, 2, 3L, 4, new MicroUsd(5), new MicroUsd(6)),
            Instant.parse("2040-01-01T00:00:00Z"));
    var old = (ApiKeys.KeyCreation.Created) store.apiKeys().create(org, wish, NO_LIMIT);
    store.apiKeys().disable(old.key().key().id());

    var rotated = (ApiKeys.KeyUpdate.Replaced) store.apiKeys().rotate(old.key().key().id());

    var before = store.apiKeys().find(old.key().key().id()).orElseThrow();
    assertThat(before.key().state()).isEqualTo(KeyState.REVOKED);
    assertThat(before.replacedBy()).isEqualTo(rotated.secret().keyId());
    var after = rotated.key().key();
    assertThat(after.name()).isEqualTo("prod");
    assertThat(after.scope()).isEqualTo(wish.scope());
    assertThat(after.limits()).isEqualTo(wish.limits());
    assertThat(after.expiresAt()).isEqualTo(wish.expiresAt());
    assertThat(after.state()).isEqualTo(KeyState.DISABLED);
    assertThat(store.keyDirectory().find(rotated.secret().hash()))
        .isEqualTo(new Lookup.Found(after));
  }

  @Test
  void creationsThatRaceStayBelowTheLimit() throws Exception {
    OrgId org = newOrg().org().id();
    List<Callable<ApiKeys.KeyCreation>> races = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      races.add(() -> store.apiKeys().create(org, ApiKeys.ApiKeySpec.named("raced"), 5));
    }
    int created = 0;
    try (var threads = Executors.newFixedThreadPool(4)) {
      for (Future<ApiKeys.KeyCreation> race : threads.invokeAll(races)) {
        created += race.get() instanceof ApiKeys.KeyCreation.Created ? 1 : 0;
      }
    }
    assertThat(created).isEqualTo(5);
    KeyId one = store.apiKeys().list(org).getFirst().key().id();
    store.apiKeys().revoke(one);
    assertThat(store.apiKeys().create(org, ApiKeys.ApiKeySpec.named("room"), 5))
        .isInstanceOf(ApiKeys.KeyCreation.Created.class);
    assertThat(store.apiKeys().create(org, ApiKeys.ApiKeySpec.named("none"), 5))
        .isEqualTo(new ApiKeys.KeyCreation.TooMany(5));
  }

  @Test
  void onlyTheHashOfASecretIsStored() throws Exception {
    var made = newKey(newOrg().org().id());
    try (Connection connection = store.pool().getConnection();
        Statement statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT k::text FROM api_key k")) {
      while (rows.next()) {
        assertThat(rows.getString(1)).doesNotContain(made.secret().text().substring(15));
      }
    }
  }

  @Test
  void everyChangeReachesEveryNode() throws Exception {
    var org = newOrg();
    var made = newKey(org.org().id());
    KeyId id = made.key().key().id();
    var node = store.keyChanges();
    var other = store.keyChanges();
    assertThat(node.poll()).isEqualTo(new KeyChanges.PollResult.EverythingChanged());
    assertThat(other.poll()).isEqualTo(new KeyChanges.PollResult.EverythingChanged());

    store.apiKeys().disable(id);
    var received = new KeyChanges.PollResult.Changed(Set.of(id), Set.of());
    assertThat(node.poll()).isEqualTo(received);
    assertThat(node.poll()).isEqualTo(new KeyChanges.PollResult.Changed(Set.of(), Set.of()));
    assertThat(other.poll()).isEqualTo(received);

    var rotated = (ApiKeys.KeyUpdate.Replaced) store.apiKeys().rotate(id);
    store.organizations().setState(org.org().name(), Org.State.SUSPENDED);
    assertThat(node.poll())
        .isEqualTo(
            new KeyChanges.PollResult.Changed(
                Set.of(id, rotated.secret().keyId()), Set.of(org.org().id())));

    execute("UPDATE api_key SET name = 'by hand' WHERE id = '" + id + "'");
    assertThat(node.poll()).isEqualTo(received);
  }

  @Test
  void aChangeThatCommitsLateIsNotMissed() throws Exception {
    OrgId org = newOrg().org().id();
    KeyId slow = newKey(org).key().key().id();
    KeyId fast = newKey(org).key().key().id();
    var node = store.keyChanges();
    node.poll();
    try (Connection connection = store.pool().getConnection();
        Statement statement = connection.createStatement();
        var thread = Executors.newSingleThreadExecutor()) {
      connection.setAutoCommit(false);
      statement.execute("UPDATE api_key SET state = 'disabled' WHERE id = '" + slow + "'");
      var change = thread.submit(() -> store.apiKeys().disable(fast));
      assertThat(node.poll()).isEqualTo(new KeyChanges.PollResult.Changed(Set.of(), Set.of()));
      connection.commit();
      change.get();
      connection.setAutoCommit(true);
    }
    assertThat(node.poll())
        .isEqualTo(new KeyChanges.PollResult.Changed(Set.of(slow, fast), Set.of()));
  }

  @Test
  void aRolledBackDatabaseMayHaveChangedAnything() throws Exception {
    try (Store restored = SharedPostgres.newStore()) {
      var node = restored.keyChanges();
      node.poll();
      restored.organizations().create("o", null);
      restored.organizations().setState("o", Org.State.SUSPENDED);
      node.poll();
      Transactions.run(
          restored.pool(),
          connection -> {
            try (Statement statement = connection.createStatement()) {
              return statement.execute("DELETE FROM key_change");
            }
          });
      assertThat(node.poll()).isEqualTo(new KeyChanges.PollResult.EverythingChanged());
    }
  }

  @Test
  void sessionsGiveUpBeforeTheyHang() throws Exception {
    try (Connection connection = store.pool().getConnection();
        Statement statement = connection.createStatement()) {
      for (var setting :
          List.of(
              List.of("lock_timeout", "2s"),
              List.of("statement_timeout", "10s"),
              List.of("idle_in_transaction_session_timeout", "5s"),
              List.of("tcp_user_timeout", "5000"),
              List.of("client_connection_check_interval", "1s"))) {
        try (var row = statement.executeQuery("SHOW " + setting.getFirst())) {
          row.next();
          assertThat(row.getString(1)).as(setting.getFirst()).isEqualTo(setting.getLast());
        }
      }
    }
  }

  @Test
  void theBootstrapHappensOnceHoweverManyNodesStart() throws Exception {
    StoreOptions options = SharedPostgres.newDatabase();
    var plan = new Bootstrap.Plan("demo", MicroUsd.ofUsd("10.00"), null);
    List<Callable<Store>> starts = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      starts.add(() -> SharedPostgres.open(options));
    }
    List<Bootstrap.Made> made = new ArrayList<>();
    try (var threads = Executors.newFixedThreadPool(3)) {
      for (Future<Store> start : threads.invokeAll(starts)) {
        try (Store node = start.get()) {
          node.bootstrap(plan).ifPresent(made::add);
          assertThat(node.organizations().list()).hasSize(1);
          assertThat(node.organizations().find("demo").orElseThrow().balance())
              .isEqualTo(new MicroUsd(10_000_000));
        }
      }
    }
    assertThat(made).hasSize(1);
    try (Store node = SharedPostgres.open(options)) {
      assertThat(node.bootstrap(plan)).isEmpty();
      assertThat(node.keyDirectory().find(made.getFirst().secret().hash()))
          .isEqualTo(new Lookup.Found(made.getFirst().key().key()));
    }
  }

  @Test
  void theOperatorsOwnKeyIsTaken() throws Exception {
    var own = ApiKeyText.generate(new SecureRandom());
    var plan = new Bootstrap.Plan("demo", MicroUsd.ZERO, own);
    try (Store node = SharedPostgres.open(SharedPostgres.newDatabase())) {
      node.bootstrap(plan);
      assertThat(node.keyDirectory().find(own.hash())).isInstanceOf(Lookup.Found.class);
      assertThat(node.organizations().find("demo").orElseThrow().balance())
          .isEqualTo(MicroUsd.ZERO);
    }
  }

  @Test
  void aStartThatFindsTheNewestMigrationAsksForNoMore() throws Exception {
    StoreOptions options = SharedPostgres.newDatabase();
    try (var database = DatabaseAccess.forCommand(options)) {
      assertThat(Migrations.newestKnown(database.address())).isEqualTo(Migrations.LATEST);
      Migrations.run(database);
    }
    try (Store again = SharedPostgres.open(options)) {
      assertThat(again.organizations().list()).isEmpty();
      execute(again, "UPDATE flyway_schema_history SET success = false");
    }
    assertThatThrownBy(() -> SharedPostgres.open(options))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("migrated");
  }

  @Test
  void aCommandMakesASchemaButMigratesNone() throws Exception {
    StoreOptions options = SharedPostgres.newDatabase();
    try (Store made = Store.forCommand(options)) {
      assertThat(made.organizations().list()).isEmpty();
      execute(
          made, "DELETE FROM flyway_schema_history WHERE version = '" + Migrations.LATEST + "'");
    }
    assertThatThrownBy(() -> Store.forCommand(options).close())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("tollgate migrate");
  }

  @Test
  void aSchemaThatMustBeMigratedByHandIsRefusedUntilItIs() throws Exception {
    StoreOptions automatic = SharedPostgres.newDatabase();
    var byHand =
        new StoreOptions(
            automatic.url(),
            automatic.dataDir(),
            automatic.username(),
            automatic.password(),
            2,
            automatic.poolTimeout(),
            false,
            List.of());
    assertThatThrownBy(() -> SharedPostgres.open(byHand))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("tollgate migrate");
    try (var database = DatabaseAccess.forCommand(byHand)) {
      assertThat(Migrations.run(database)).isPositive();
      assertThat(Migrations.run(database)).isZero();
    }
    SharedPostgres.open(byHand).close();
  }

  private static Organizations.StoredOrg newOrg() throws SQLException {
    var created = store.organizations().create(UUID.randomUUID().toString(), null);
    return ((Organizations.OrgCreation.Created) created).org();
  }

  private static ApiKeys.KeyCreation.Created newKey(OrgId org) throws SQLException {
    var created = store.apiKeys().create(org, ApiKeys.ApiKeySpec.named("k"), NO_LIMIT);
    return (ApiKeys.KeyCreation.Created) created;
  }

  private static KeyState stateAfter(ApiKeys.KeyUpdate change) {
    return ((ApiKeys.KeyUpdate.Done) change).key().key().state();
  }

  private static void execute(String sql) throws SQLException {
    execute(store, sql);
  }

  private static void execute(Store on, String sql) throws SQLException {
    try (Connection connection = on.pool().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
