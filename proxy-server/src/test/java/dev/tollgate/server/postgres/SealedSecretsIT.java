package dev.tollgate.server.postgres;

import static dev.tollgate.server.postgres.TestEvents.claim;
import static dev.tollgate.server.postgres.TestEvents.claimOptions;
import static dev.tollgate.server.postgres.TestEvents.take;
import static dev.tollgate.server.postgres.TestLedgerStore.opened;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.webhook.ClaimedEvent;
import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.Outbox.Unsignable;
import dev.tollgate.core.webhook.WebhookSecret;
import dev.tollgate.server.postgres.backup.SchemaTables;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.postgres.tenants.Seal;
import dev.tollgate.server.postgres.tenants.Seal.UnsealResult;
import dev.tollgate.server.postgres.tenants.WebhookSecrets;
import dev.tollgate.server.postgres.tenants.WebhookSecrets.SecretsByKey;
import dev.tollgate.server.settings.value.MasterKey;
import java.io.ByteArrayOutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** Sealed secrets, and webhooks that cannot be signed. */
@Tag("chaos")
class SealedSecretsIT {
  private static final MasterKey OLD = key(1);
  private static final MasterKey NEW = key(2);
  private static final String SECRETS =
      "SELECT coalesce(webhook_secret_key, 'clear') || ' '"
          + " || coalesce(webhook_secret_before_key, 'none') FROM organization WHERE id = ?";

  private final List<Store> stores = new ArrayList<>();
  private StoreOptions database;
  private TestLedgerStore testStore;
  private TestEvents events;

  private static MasterKey key(int of) {
    byte[] bytes = new byte[32];
    bytes[0] = (byte) of;
    return MasterKey.parse(Base64.getEncoder().encodeToString(bytes)).orElseThrow();
  }

  @BeforeEach
  void open() throws Exception {
    database = SharedPostgres.newDatabase();
    testStore = TestLedgerStore.of(node());
    events = new TestEvents(testStore);
    events.pass(0);
  }

  @AfterEach
  void close() {
    stores.forEach(Store::close);
  }

  /** Opens a store with these master keys. */
  private Store node(MasterKey... keys) throws StoreException {
    Store store = SharedPostgres.open(database.withMasterKeys(List.of(keys)));
    stores.add(store);
    return store;
  }

  private static OrgId org(Store node) throws Exception {
    String name = UUID.randomUUID().toString();
    node.organizations().create(name, null);
    return node.organizations().find(name).orElseThrow().org().id();
  }

  private static byte[] secret(Store node, OrgId org) throws Exception {
    return opened(node.webhookSecrets().of(org.toString()));
  }

  private static byte[] rotate(Store node, OrgId org, Duration keep) throws Exception {
    return opened(node.webhookSecrets().rotate(org.toString(), keep));
  }

  private static List<String> signedWith(ClaimedEvent due) {
    return due.secrets().stream().map(WebhookSecret::reveal).toList();
  }

  private static String shown(byte[] secret) {
    return new WebhookSecret(secret).reveal();
  }

  private List<String> history(UUID event) throws Exception {
    return testStore.store().webhookEvents().attempts(event).stream()
        .map(attempt -> attempt.number() + " " + attempt.outcome())
        .toList();
  }

  // At rest

  @Test
  void aDumpHoldsNoSecret() throws Exception {
    Store node = node(NEW);
    OrgId org = org(node);
    byte[] before = secret(node, org);
    byte[] present = rotate(node, org, Duration.ofHours(1));
    byte[] clear = secret(testStore.store(), org(testStore.store()));
    String dump = dump(node);
    assertThat(dump).as("it would be seen").contains(HexFormat.of().formatHex(clear));
    assertThat(dump).contains(org.toString(), NEW.id());
    for (byte[] secret : List.of(before, present)) {
      assertThat(dump)
          .doesNotContain(HexFormat.of().formatHex(secret))
          .doesNotContain(Base64.getEncoder().encodeToString(secret));
    }
  }

  @Test
  void aSecretIsSealedDifferentlyEachTime() throws Exception {
    Store node = node(NEW);
    OrgId org = org(node);
    var seal = new Seal(List.of(NEW));
    byte[] secret = secret(node, org);
    assertThat(seal.seal(org, secret).bytes())
        .hasSize(60)
        .isNotEqualTo(seal.seal(org, secret).bytes());
  }

  /** Returns all rows of all tables, as a copy of the store has them. */
  private static String dump(Store node) throws Exception {
    var dump = new StringWriter();
    try (var connection = node.pool().getConnection()) {
      var copy = connection.unwrap(PGConnection.class).getCopyAPI();
      for (SchemaTables.Table table : SchemaTables.read(connection)) {
        var rows = new ByteArrayOutputStream();
        String all = "COPY (SELECT * FROM " + SchemaTables.quoted(table.name()) + ") TO STDOUT";
        copy.copyOut(all, rows);
        dump.write(rows.toString(StandardCharsets.UTF_8));
      }
    }
    return dump.toString();
  }

  // In the clear

  @Test
  void secretsInTheClearSignUntilTheyAreSealedAndThenAgain() throws Exception {
    OrgId org = org(testStore.store());
    byte[] before = secret(testStore.store(), org);
    byte[] present = rotate(testStore.store(), org, Duration.ofHours(1));
    Store node = node(NEW);
    Outbox outbox = node.outbox("n");
    events.event(org, "https://a.example/");
    ClaimedEvent clear = take(outbox);
    assertThat(signedWith(clear)).containsExactly(shown(present), shown(before));
    outbox.release(clear, Duration.ZERO);
    assertThat(testStore.execute(SECRETS, org.value())).containsExactly("clear none");
    assertThat(node.webhookSecrets().sealClear().organizations()).isEqualTo(1);
    assertThat(node.webhookSecrets().sealClear().organizations()).isZero();
    assertThat(testStore.execute(SECRETS, org.value())).containsExactly(NEW.id() + " " + NEW.id());
    assertThat(signedWith(take(outbox))).containsExactly(shown(present), shown(before));
  }

  @Test
  void aNodeWithoutAKeySealsNothing() throws Exception {
    OrgId org = org(testStore.store());
    assertThat(testStore.store().webhookSecrets().isSealingEnabled()).isFalse();
    assertThat(testStore.store().webhookSecrets().sealAll().organizations()).isZero();
    assertThat(testStore.execute(SECRETS, org.value())).containsExactly("clear none");
  }

  // Several keys

  @Test
  void theFirstKeySealsAndAllOpen() throws Exception {
    OrgId org = org(node(OLD));
    Store both = node(NEW, OLD);
    byte[] old = secret(both, org);
    byte[] fresh = rotate(both, org, Duration.ofHours(1));
    assertThat(testStore.execute(SECRETS, org.value())).containsExactly(NEW.id() + " " + NEW.id());
    events.event(org, "https://a.example/");
    assertThat(signedWith(take(both.outbox("n")))).containsExactly(shown(fresh), shown(old));
  }

  @Test
  void whatIsSealedWithTheFirstKeyNeedsNoOther() throws Exception {
    Store before = node(OLD);
    OrgId org = org(before);
    rotate(before, org, Duration.ofHours(1));
    byte[] secret = secret(before, org);
    WebhookSecrets both = node(NEW, OLD).webhookSecrets();
    assertThat(both.sealClear().organizations()).as("another key is no clear text").isZero();
    assertThat(both.shares()).containsExactly(new SecretsByKey(OLD.id(), 2, true));
    assertThat(both.sealAll().organizations()).isEqualTo(1);
    assertThat(both.shares()).containsExactly(new SecretsByKey(NEW.id(), 2, true));
    assertThat(secret(node(NEW), org)).isEqualTo(secret);
    assertThat(before.webhookSecrets().shares())
        .containsExactly(new SecretsByKey(NEW.id(), 2, false));
  }

  /** The organization ends with the secret created last, however often it was sealed meanwhile. */
  @Test
  void twoNodesThatSealUndoNoRotation() throws Exception {
    OrgId org = org(node(OLD));
    Store one = node(NEW, OLD);
    Store two = node(OLD, NEW);
    List<byte[]> made = new ArrayList<>();
    var areRotated = new AtomicBoolean();
    int seals = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      List<Future<Integer>> sealing = new ArrayList<>();
      for (Store node : List.of(one, two)) {
        Callable<Integer> work =
            () -> {
              int sealed = 0;
              boolean isLast;
              do {
                isLast = areRotated.get();
                sealed += node.webhookSecrets().sealAll().organizations();
              } while (!isLast);
              return sealed;
            };
        sealing.add(threads.submit(work));
      }
      try {
        for (int n = 0; n < 100; n++) {
          Store node = n % 2 == 0 ? one : two;
          byte[] fresh = rotate(node, org, Duration.ofHours(1));
          made.add(fresh);
          assertThat(secret(node, org)).isEqualTo(fresh);
        }
      } finally {
        areRotated.set(true);
      }
      for (Future<Integer> each : sealing) {
        seals += each.get();
      }
    }
    assertThat(seals).as("the last rotation was not by the first node").isPositive();
    events.event(org, "https://a.example/");
    assertThat(signedWith(take(one.outbox("n"))))
        .containsExactly(shown(made.get(99)), shown(made.get(98)));
  }

  // Secrets that cannot be opened

  @Test
  void aNodeWithoutTheKeyLeavesEventsToOthers() throws Exception {
    Store with = node(NEW);
    OrgId sealed = org(with);
    OrgId clear = org(testStore.store());
    UUID event = events.event(sealed, "https://a.example/");
    UUID other = events.event(clear, "https://a.example/");
    Outbox lacking = node(OLD).outbox("lacking");
    assertThat(claim(lacking, 9)).containsExactly(other);
    assertThat(claim(with.outbox("with"), 9)).containsExactly(event);
  }

  @Test
  void anOldSecretUnderAMissingKeyHoldsUpTooUntilItIsOver() throws Exception {
    Store before = node(OLD);
    OrgId org = org(before);
    rotate(before, org, Duration.ofHours(1));
    testStore.execute(
        "UPDATE organization SET webhook_secret = ?, webhook_secret_key = ? WHERE id = ?",
        new Seal(List.of(NEW)).seal(org, new byte[32]).bytes(),
        NEW.id(),
        org.value());
    UUID event = events.event(org, "https://a.example/");
    Outbox outbox = node(NEW).outbox("n");
    assertThat(claim(outbox, 9)).isEmpty();
    events.pass(3_600);
    assertThat(claim(outbox, 9)).containsExactly(event);
  }

  @Test
  void anEventThatNoNodeCanSignWaitsWithItsReason() throws Exception {
    OrgId org = org(node(NEW));
    UUID event = events.event(org, "https://a.example/");
    Outbox lacking = node(OLD).outbox("lacking");
    events.pass(9.999);
    assertThat(lacking.unsignable()).isEqualTo(Unsignable.NONE);
    assertThat(history(event)).isEmpty();
    events.pass(10);
    assertThat(lacking.unsignable()).isEqualTo(new Unsignable(1, 0));
    assertThat(lacking.unsignable()).isEqualTo(new Unsignable(1, 0));
    assertThat(history(event)).as("said once").containsExactly("1 key_missing");
    var shown = testStore.store().webhookEvents().latest(org, "pending", 9).getFirst();
    assertThat(shown.lastError()).isEqualTo("key_missing");
    assertThat(shown.attempts()).isZero();
    events.pass(30 * 86_400);
    assertThat(claim(lacking, 9)).isEmpty();
    ClaimedEvent due = take(node(NEW, OLD).outbox("with"));
    assertThat(due.id()).isEqualTo(event);
    assertThat(due.attempt()).isEqualTo(1);
  }

  @Test
  void aTamperedSecretSignsNothing() throws Exception {
    Store node = node(NEW);
    OrgId org = org(node);
    for (int at : List.of(0, 11, 12, 43, 44, 59)) {
      flip(org, at);
      assertThat(node.webhookSecrets().of(org.toString()))
          .containsInstanceOf(UnsealResult.Damaged.class);
      flip(org, at);
    }
    assertThat(node.webhookSecrets().of(org.toString()))
        .containsInstanceOf(UnsealResult.Opened.class);
    flip(org, 20);
    UUID event = events.event(org, "https://a.example/");
    Outbox outbox = node.outbox("n");
    assertThat(claim(outbox, 9)).isEmpty();
    assertThat(history(event)).containsExactly("1 secret_damaged");
    events.pass(59);
    assertThat(claim(outbox, 9)).isEmpty();
    events.pass(60);
    assertThat(claim(outbox, 9)).isEmpty();
    assertThat(history(event)).as("said once").containsExactly("1 secret_damaged");
    assertThat(outbox.unsignable()).isEqualTo(new Unsignable(0, 1));
    flip(org, 20);
    events.pass(120);
    ClaimedEvent due = take(outbox);
    assertThat(due.id()).isEqualTo(event);
    assertThat(due.attempt()).isEqualTo(1);
  }

  private void flip(OrgId org, int at) throws Exception {
    testStore.execute(
        "UPDATE organization SET webhook_secret = set_byte(webhook_secret, ?,"
            + " get_byte(webhook_secret, ?) # 1) WHERE id = ?",
        at,
        at,
        org.value());
  }

  @Test
  void aSecretThatIsCopiedToAnotherOrganizationSignsNothingThere() throws Exception {
    Store node = node(NEW);
    OrgId from = org(node);
    OrgId to = org(node);
    testStore.execute(
        "UPDATE organization o SET webhook_secret = f.webhook_secret FROM organization f"
            + " WHERE o.id = ? AND f.id = ?",
        to.value(),
        from.value());
    UUID event = events.event(to, "https://a.example/");
    assertThat(node.outbox("n").claim(claimOptions(9))).isEmpty();
    assertThat(history(event)).containsExactly("1 secret_damaged");
    assertThat(node.webhookSecrets().of(from.toString()))
        .containsInstanceOf(UnsealResult.Opened.class);
  }

  @Test
  void whatCannotBeSignedTakesNoPlacesOfAHostFromOthers() throws Exception {
    Store node = node(NEW);
    for (int n = 0; n < 5; n++) {
      OrgId damaged = org(node);
      flip(damaged, 20);
      events.events(20, damaged, "https://shared.example/");
    }
    Outbox outbox = node.outbox("n");
    assertThat(claim(outbox, 64)).isEmpty();
    assertThat(claim(outbox, 64)).isEmpty();
    UUID live = events.event(org(node), "https://shared.example/");
    assertThat(claim(outbox, 64)).containsExactly(live);
  }

  @Test
  void aLockedSecretIsReplacedOnlyIfItIsDiscarded() throws Exception {
    OrgId org = org(node(OLD));
    WebhookSecrets secrets = node(NEW).webhookSecrets();
    String name = org.toString();
    assertThat(secrets.of(name)).contains(new UnsealResult.KeyMissing(OLD.id()));
    assertThat(secrets.rotate(name, Duration.ofHours(1)))
        .contains(new UnsealResult.KeyMissing(OLD.id()));
    assertThat(secrets.sealAll().locked())
        .singleElement()
        .satisfies(one -> assertThat(one.why()).isEqualTo(new UnsealResult.KeyMissing(OLD.id())));
    assertThat(testStore.execute(SECRETS, org.value())).containsExactly(OLD.id() + " none");
    byte[] fresh = opened(secrets.rotate(name, Duration.ZERO));
    assertThat(opened(secrets.of(name))).isEqualTo(fresh);
    assertThat(testStore.execute(SECRETS, org.value())).containsExactly(NEW.id() + " none");
  }
}
