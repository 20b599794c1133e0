package dev.tollgate.server.postgres.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.LedgerStore;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.server.postgres.Forgery;
import dev.tollgate.server.postgres.SharedPostgres;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.session.DatabaseAccess;
import dev.tollgate.server.postgres.session.Migrations;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.postgres.tenants.ApiKeys;
import dev.tollgate.server.postgres.tenants.KeyChanges;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Export and import of a store through one file, completely or not at all. */
@Tag("chaos")
class StoreExportIT {
  /** Days that ended long enough ago to be closed at any hour of today. */
  private static final List<Integer> OLD_DAYS = List.of(6, 4);

  @TempDir Path folder;
  private StoreOptions origin;
  private Path file;

  @BeforeEach
  void fill() throws Exception {
    file = folder.resolve("store.zip");
    origin = SharedPostgres.newDatabase();
    try (Store store = SharedPostgres.open(origin)) {
      store.organizations().create("quotes \", commas,\nand lines — ü", new MicroUsd(0));
      store.organizations().create("b", null);
      for (var org : store.organizations().list()) {
        fill(store, org.org().id());
      }
    }
  }

  @Test
  void everythingArrives() throws Exception {
    StoreExport.Summary written = export();
    StoreOptions target = SharedPostgres.newDatabase();
    StoreExport.Summary read = importInto(target, false);

    assertThat(read).isEqualTo(written);
    assertThat(contents(target)).isEqualTo(contents(origin));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void theStoreContinuesWhereTheOldOneEnded() throws Exception {
    export();
    StoreOptions target = SharedPostgres.newDatabase();
    importInto(target, false);

    try (Store store = SharedPostgres.open(target)) {
      var changes = store.keyChanges();
      changes.poll();
      OrgId org = store.organizations().find("b").orElseThrow().org().id();
      fill(store, org);
      assertThat(changes.poll())
          .isInstanceOfSatisfying(
              KeyChanges.PollResult.Changed.class,
              changed -> assertThat(changed.keys()).hasSize(2));
      store.credits().grant(org, new MicroUsd(1), "later", "test");
      assertThatThrownBy(() -> query(target, "UPDATE ledger_entry SET ref = 'x' RETURNING 1"))
          .hasMessageContaining("never changed");
    }
  }

  @Test
  void peopleAndTheAuditLogArriveAndSessionsEnd() throws Exception {
    UUID person = UUID.randomUUID();
    query(
        origin,
        """
        INSERT INTO user_account (id, email, email_key, name, state, verified_at, is_operator)
        VALUES ('%1$s', 'a@example.com', 'a@example.com', 'A', 'active', now(), true);
        INSERT INTO membership (org_id, user_id, role)
        SELECT id, '%1$s', 'owner' FROM organization WHERE name = 'b';
        INSERT INTO control_token (id, name, hash, last_four, role, created_by, expires_at)
        VALUES ('00000001', 't', sha256('t'), 'tttt', 'operator', '%1$s', now());
        INSERT INTO user_session (id, user_id, token_hash, expires_at, how, ip, user_agent)
        VALUES ('%1$s', '%1$s', sha256('s'), 'infinity', '{pwd}', '::1', '');
        INSERT INTO one_time_token (token_hash, purpose, user_id, expires_at)
        VALUES (sha256('o'), 'reset_password', '%1$s', 'infinity');
        INSERT INTO mail_outbox (id, to_address, kind, message) VALUES ('%1$s', 'a', 'b', 'c');
        SELECT audit_month('2026-01-15');
        INSERT INTO audit_event (at, actor_kind, action)
        VALUES ('2026-01-15T00:00:00Z', 'cli', 'org.create'), (now(), 'cli', 'org.update')"""
            .formatted(person));
    export();
    StoreOptions target = SharedPostgres.newDatabase();
    importInto(target, false);

    List<String> rows = contents(target);
    for (String table : List.of("user_account", "membership", "control_token")) {
      assertThat(rows).filteredOn(row -> row.startsWith(table + "(")).hasSize(1);
    }
    assertThat(rows).filteredOn(row -> row.startsWith("audit_event(")).hasSize(2);
    assertThat(rows)
        .noneMatch(row -> row.startsWith("user_session"))
        .noneMatch(row -> row.startsWith("one_time_token"))
        .noneMatch(row -> row.startsWith("mail_outbox"));
    assertThatThrownBy(() -> query(target, "DELETE FROM audit_event"))
        .hasMessageContaining("never changed");
    assertThatThrownBy(() -> query(target, "TRUNCATE audit_event_202601"))
        .hasMessageContaining("never changed");
  }

  @Test
  void daysThatWereClosedAreClosedAnew() throws Exception {
    List<LocalDate> closed;
    try (Store store = SharedPostgres.open(origin)) {
      closed = store.ledgerPartitions().close();
    }
    export();
    StoreOptions target = SharedPostgres.newDatabase();
    importInto(target, false);

    assertThat(contents(target)).isEqualTo(contents(origin));
    try (Store store = SharedPostgres.open(target)) {
      requireOnlyPutAside(store);
      assertThat(closed)
          .isNotEmpty()
          .containsAll(store.ledgerPartitions().close())
          .hasSizeGreaterThan(1);
      requireOnlyPutAside(store);
    }
  }

  /** The origin has charges in quarantine, and the export contains them. */
  private static void requireOnlyPutAside(Store store) throws Exception {
    assertThat(store.ledgerAudit().run())
        .isNotEmpty()
        .allSatisfy(violation -> assertThat(violation.invariant()).isEqualTo(6))
        .isEqualTo(store.ledgerAudit().runFull());
  }

  @Test
  void aStoreThatIsNotEmptyIsKeptUnlessItMayBeLost() throws Exception {
    export();
    StoreOptions target = SharedPostgres.newDatabase();
    try (Store store = SharedPostgres.open(target)) {
      store.organizations().create("precious", null);
    }
    List<String> before = contents(target);
    assertThatThrownBy(() -> importInto(target, false)).hasMessageContaining("--replace");
    assertThat(contents(target)).isEqualTo(before);

    importInto(target, true);
    assertThat(contents(target)).isEqualTo(contents(origin));
  }

  @Test
  void anImportInPlaceOfWhatWasThereMayHaveChangedAnyKey() throws Exception {
    export();
    StoreOptions target = SharedPostgres.newDatabase();
    try (Store gateway = SharedPostgres.open(target)) {
      gateway.organizations().create("replaced", null);
      var changes = gateway.keyChanges();
      // Often enough for the driver to keep the statements prepared.
      for (int i = 0; i < 10; i++) {
        changes.poll();
      }
      importInto(target, true);

      assertThat(changes.poll()).isInstanceOf(KeyChanges.PollResult.EverythingChanged.class);
      assertThat(changes.poll()).isInstanceOf(KeyChanges.PollResult.Changed.class);
    }
  }

  @Test
  void aDamagedFileChangesNothing() throws Exception {
    export();
    StoreOptions target = SharedPostgres.newDatabase();
    try (Store store = SharedPostgres.open(target)) {
      store.organizations().create("precious", null);
    }
    List<String> before = contents(target);
    byte[] bytes = Files.readAllBytes(file);
    for (int at = 40; at < bytes.length; at += bytes.length / 40) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 0x11;
      Files.write(file, damaged);
      try {
        importInto(target, true);
      } catch (StoreException refused) {
        assertThat(contents(target)).isEqualTo(before);
        continue;
      }
      // Parts that the zip format itself does not need, such as a time stamp.
      assertThat(contents(target)).isEqualTo(contents(origin));
      query(target, "UPDATE organization SET name = 'precious' WHERE name = 'b' RETURNING 1");
      before = contents(target);
    }
  }

  @Test
  void anImportThatFailsHalfWayPutsBackWhatWasThere() throws Exception {
    export();
    StoreOptions target = SharedPostgres.newDatabase();
    try (Store store = SharedPostgres.open(target)) {
      store.organizations().create("precious", null);
    }
    List<String> before = contents(target);
    // A row that the schema refuses, under a correct checksum.
    Forgery.replace(file, "tables/organization.csv", "active", "dreaming");

    assertThatThrownBy(() -> importInto(target, true)).isInstanceOf(StoreException.class);
    assertThat(contents(target)).isEqualTo(before);
    SharedPostgres.open(target).close();
  }

  @Test
  void anImportThatDiedIsFoundAndMadeGood() throws Exception {
    export();
    StoreOptions target = SharedPostgres.newDatabase();
    try (Store store = SharedPostgres.open(target)) {
      store.organizations().create("precious", null);
    }
    query(
        target,
        "ALTER SCHEMA tollgate RENAME TO tollgate_before_import; CREATE SCHEMA tollgate; SELECT 1");

    assertThatThrownBy(() -> SharedPostgres.open(target)).hasMessageContaining("interrupted");
    assertThatThrownBy(() -> importInto(target, false)).hasMessageContaining("--replace");
    try (Store store = SharedPostgres.open(target)) {
      assertThat(store.organizations().find("precious")).isPresent();
    }
  }

  @Test
  void anExportOfANewerVersionIsRefused() throws Exception {
    export();
    String ours = "\"schema_version\" : \"" + Migrations.LATEST + "\"";
    Forgery.replace(file, ExportManifest.ENTRY, ours, "\"schema_version\" : \"999\"");

    StoreOptions target = SharedPostgres.newDatabase();
    assertThatThrownBy(() -> importInto(target, false)).hasMessageContaining("use a newer one");
  }

  @Test
  void anExportOfBeforeTheFirstReleaseIsRefused() throws Exception {
    export();
    Forgery.replace(file, ExportManifest.ENTRY, "\"format\" : 2", "\"format\" : 1");
    StoreOptions target = SharedPostgres.newDatabase();
    try (Store store = SharedPostgres.open(target)) {
      store.organizations().create("precious", null);
    }
    List<String> before = contents(target);

    assertThatThrownBy(() -> importInto(target, true))
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "the export cannot be imported: a version of Tollgate before the first release made"
                + " it");
    assertThat(contents(target)).isEqualTo(before);
  }

  @Test
  void anExportNeverReplacesAFile() throws Exception {
    export();
    assertThatThrownBy(this::export).hasMessageContaining("exists");
  }

  private StoreExport.Summary export() throws StoreException {
    try (var database = DatabaseAccess.forCommand(origin)) {
      return StoreExport.write(database, file);
    }
  }

  private StoreExport.Summary importInto(StoreOptions target, boolean replace)
      throws StoreException {
    try (var database = DatabaseAccess.exclusive(target)) {
      return StoreImport.read(database, file, replace);
    }
  }

  private static void fill(Store store, OrgId org) throws SQLException {
    var wish =
        new ApiKeys.ApiKeySpec(
            "a, \"b\"",
            new KeyScope(Set.of("x/y", "x/z"), Set.of(), Set.of("::1")),
            new KeyLimits(0, null, 3L << 40, 4, null, new MicroUsd(6)),
            Instant.parse("2040-01-01T00:00:00.123456Z"));
    var key = (ApiKeys.KeyCreation.Created) store.apiKeys().create(org, wish, 0);
    store.apiKeys().rotate(key.key().key().id());
    store.credits().grant(org, new MicroUsd(77), "ref of " + key.secret().keyId(), "test");
    fillLedger(store, new Payer(org, key.key().key().id(), Window.at(System.currentTimeMillis())));
  }

  /** Charges also fall on days for which the target has no partition yet. */
  private static void fillLedger(Store store, Payer payer) throws SQLException {
    try {
      var holder = store.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
      var want = new LedgerStore.GrantItem(ScopeKind.ORG, new MicroUsd(1), new MicroUsd(5));
      store
          .ledgerStore()
          .grant(holder, new LedgerStore.GrantRequest(1, payer, List.of(want), true));
      for (int days : OLD_DAYS) {
        long then = System.currentTimeMillis() - Duration.ofDays(days).toMillis();
        var request = RequestId.at(then);
        String row = "{\"a\": \"\\n,\"}";
        var charge = TestLedgerStore.charge(request, payer.org(), payer.key(), 1, 3, row);
        store.ledgerStore().settle(holder, List.of(charge));
        store.ledgerStore().quarantine(holder, charge, "a \"reason\"");
      }
    } catch (LedgerStore.LedgerStoreException e) {
      throw new SQLException(e);
    }
  }

  /** Returns every row of every table, and the values of the sequences. */
  private static List<String> contents(StoreOptions options) throws SQLException {
    List<String> all = new ArrayList<>();
    try (Connection connection = connect(options)) {
      for (SchemaTables.Table table : SchemaTables.read(connection)) {
        try (Statement statement = connection.createStatement();
            ResultSet row =
                statement.executeQuery(
                    "SELECT t::text FROM " + SchemaTables.quoted(table.name()) + " t ORDER BY 1")) {
          while (row.next()) {
            all.add(table.name() + row.getString(1));
          }
        }
      }
      SchemaTables.sequences(connection).forEach(sequence -> all.add(sequence.toString()));
    }
    return all;
  }

  private static void query(StoreOptions options, String sql) throws SQLException {
    try (Connection connection = connect(options);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Connection connect(StoreOptions options) throws SQLException {
    var address = new DatabaseAddress(options.url(), options.username(), options.password());
    return Migrations.plain(address).getConnection();
  }
}
