package dev.tollgate.server.account.tenant;

import static dev.tollgate.server.account.TestAccounts.refusal;
import static dev.tollgate.server.account.TestAccounts.refused;
import static dev.tollgate.server.account.tenant.TestPatch.named;
import static dev.tollgate.server.account.tenant.TestPatch.patch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.TestAccounts;
import dev.tollgate.server.account.tenant.KeyPatch.LimitsPatch;
import dev.tollgate.server.account.tenant.KeyQuery.KeySort;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.settings.LimitSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who may do what with keys, what they show, and what the audit log holds of it. */
class KeyServiceIT {
  private static final int KEYS_MAX = 5;

  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  static final LimitSettings LIMITS =
      new LimitSettings(
          new LimitSettings.Global(0, 0),
          new LimitSettings.Org(200, 12_000, KEYS_MAX),
          new LimitSettings.PerKey(50, 3000, 0, 100),
          new LimitSettings.PerModel(new LimitSettings.ModelRate(0, 0), Map.of()),
          LimitSettings.OnStoreFailure.CLOSED,
          1000);

  private final AtomicInteger announced = new AtomicInteger();
  private final TestAccounts accounts = new TestAccounts(testStore);
  private KeyService keys;
  private OrgId org;
  private OrgAccess owner;
  private OrgAccess developer;

  @BeforeEach
  void make() throws Exception {
    keys =
        new KeyService(testStore.store().pool(), () -> LIMITS, Set::of, announced::incrementAndGet);
    org = testStore.newOrg();
    owner = accounts.member(org, Role.OWNER);
    developer = accounts.member(org, Role.DEVELOPER);
  }

  private static KeyId id(KeyView key) {
    return new KeyId(key.id());
  }

  private KeyView make(OrgAccess access, String name) throws Exception {
    return create(access, named(name).wish()).key();
  }

  private KeyService.NewKey create(OrgAccess access, NewKeyFields wish) throws Exception {
    return keys.create(access, wish, IdempotencyClaim.NONE);
  }

  @Test
  void aKeyIsMadeShownChangedAndRevoked() throws Exception {
    var wish =
        new KeyPatch(
            Patch.set("ci"),
            Patch.set("for builds"),
            Patch.set(List.of("a/b")),
            Patch.set(List.of("chat")),
            Patch.set(List.of("10.0.0.0/8")),
            new LimitsPatch(Patch.set(1), Patch.keep(), Patch.set(3L), Patch.set(null)),
            Patch.set(5L),
            Patch.set(6L),
            Patch.set(Instant.parse("2099-01-01T00:00:00Z")),
            true);
    var made = create(owner, new NewKeyFields(wish, null));
    KeyView key = made.key();
    assertThat(made.secret()).startsWith("sk-llm-" + key.id());
    assertThat(made.toString()).doesNotContain(made.secret());
    assertThat(key).isEqualTo(keys.get(developer, id(key)));
    assertThat(key.state()).isEqualTo("active");
    assertThat(key.createdBy().kind()).isEqualTo("user");
    assertThat(key.createdBy().name()).isEqualTo("N");
    assertThat(key.allowedModels()).containsExactly("a/b");
    assertThat(key.limits()).isEqualTo(new KeyView.Limits(1, null, 3L, null));
    assertThat(key.effectiveLimits()).isEqualTo(new KeyView.Limits(1, 3000, 3L, 100));
    assertThat(key.version()).isEqualTo(1);

    KeyView changed =
        keys.change(owner, id(key), patch().daily(null).monthly(7L).make(), key.version());
    assertThat(changed.dailyBudgetMicro()).isNull();
    assertThat(changed.monthlyBudgetMicro()).isEqualTo(7);
    assertThat(changed.note()).as("kept").isEqualTo("for builds");
    assertThat(changed.version()).isEqualTo(2);

    assertThat(keys.disable(owner, id(key)).state()).isEqualTo("disabled");
    assertThat(keys.disable(owner, id(key)).version()).as("idempotent").isEqualTo(3);
    assertThat(keys.enable(owner, id(key)).state()).isEqualTo("active");
    assertThat(keys.revoke(owner, id(key), "leaked").state()).isEqualTo("revoked");
    assertThat(keys.revoke(owner, id(key), null).revokedAt()).isNotNull();
    assertThat(refused(() -> keys.enable(owner, id(key)))).isEqualTo("conflict");
    assertThat(refused(() -> keys.rotate(owner, id(key)))).isEqualTo("conflict");
    assertThat(refused(() -> keys.change(owner, id(key), patch().make(), null)))
        .isEqualTo("conflict");

    assertThat(accounts.audit(org))
        .extracting(row -> row.split(" ", 3)[1])
        .containsExactly("key.create", "key.update", "key.disable", "key.enable", "key.revoke");
    assertThat(accounts.audit(org).get(1))
        .isEqualTo(
            "user key.update %s [{\"field\":\"daily_budget_micro\",\"from\":5,\"to\":null},%s]"
                .formatted(key.id(), "{\"field\":\"monthly_budget_micro\",\"from\":6,\"to\":7}"));
    assertThat(String.join("", accounts.audit(org))).doesNotContain(made.secret().substring(15));
    assertThat(announced).as("after each call").hasValue(7);
  }

  @Test
  void aDeveloperChangesOnlyTheKeysThatItMade() throws Exception {
    KeyView own = make(developer, "own");
    KeyView others = make(owner, "others");
    assertThat(keys.change(developer, id(own), named("renamed").make(), null).name())
        .isEqualTo("renamed");
    var rotated = keys.rotate(developer, id(own));
    assertThat(rotated.old().id()).isEqualTo(own.id());
    assertThat(rotated.key().replaces()).isEqualTo(own.id());
    assertThat(keys.get(owner, id(own)).replacedBy()).isEqualTo(rotated.key().id());
    assertThat(keys.revoke(developer, id(rotated.key()), null).state()).isEqualTo("revoked");
    for (var refusal :
        List.of(
            refused(() -> keys.change(developer, id(others), named("x").make(), null)),
            refused(() -> keys.rotate(developer, id(others))),
            refused(() -> keys.disable(developer, id(others))),
            refused(() -> keys.enable(developer, id(others))),
            refused(() -> keys.revoke(developer, id(others), null)))) {
      assertThat(refusal).isEqualTo("forbidden");
    }
    for (Role role : List.of(Role.VIEWER, Role.BILLING)) {
      OrgAccess reader = accounts.member(org, role);
      assertThat(refused(() -> make(reader, "x"))).isEqualTo("forbidden");
      assertThat(refused(() -> keys.disable(reader, id(others)))).isEqualTo("forbidden");
      assertThat(keys.get(reader, id(others)).name()).isEqualTo("others");
    }
  }

  @Test
  void aKeyOfAnotherOrganizationDoesNotExist() throws Exception {
    KeyView key = make(owner, "k");
    OrgAccess other = accounts.member(testStore.newOrg(), Role.OWNER);
    var unknown = refusal(() -> keys.get(other, new KeyId("00000000")));
    assertThat(refusal(() -> keys.get(other, id(key)))).isEqualTo(unknown);
    assertThat(refusal(() -> keys.revoke(other, id(key), null))).isEqualTo(unknown);
    assertThat(refusal(() -> keys.change(other, id(key), patch().make(), null))).isEqualTo(unknown);
    assertThat(refused(() -> create(other, named("c").copyOf(id(key)))))
        .isEqualTo("validation_failed");
  }

  @Test
  void thePolicyBindsDevelopersAndNoOthers() throws Exception {
    testStore.execute(
        "UPDATE organization SET key_daily_max_micro = 10, key_days_max = 30 WHERE id = ?",
        org.value());
    Instant soon = Instant.now().plus(Duration.ofDays(20));
    assertThat(refused(() -> make(developer, "without budget")))
        .isEqualTo("validation_failed over_policy");
    TestPatch late = named("p").daily(10L).expires(soon.plus(Duration.ofDays(20)));
    assertThat(refused(() -> create(developer, late.wish())))
        .isEqualTo("validation_failed over_policy");
    NewKeyFields within = named("p").daily(10L).expires(soon).wish();
    KeyView key = create(developer, within).key();
    assertThat(refused(() -> keys.change(developer, id(key), patch().daily(11L).make(), null)))
        .isEqualTo("validation_failed over_policy");
    make(owner, "without budget");

    testStore.execute(
        "UPDATE organization SET developers_create = false WHERE id = ?", org.value());
    assertThat(refused(() -> create(developer, within)))
        .isEqualTo("forbidden developers_may_not_create");
    make(owner, "still");
  }

  @Test
  void inASuspendedOrganizationKeysAreOnlyTakenAway() throws Exception {
    KeyView key = make(owner, "k");
    accounts.suspend(org);
    OrgAccess suspended = accounts.access(org, owner.caller().principal());
    String expected = "forbidden organization_suspended";
    assertThat(refused(() -> make(suspended, "x"))).isEqualTo(expected);
    assertThat(refused(() -> keys.change(suspended, id(key), named("x").make(), null)))
        .isEqualTo(expected);
    assertThat(refused(() -> keys.rotate(suspended, id(key)))).isEqualTo(expected);
    assertThat(refused(() -> keys.enable(suspended, id(key)))).isEqualTo(expected);
    assertThat(refused(() -> make(owner, "raced"))).as("known too late").isEqualTo(expected);
    assertThat(keys.disable(suspended, id(key)).state()).isEqualTo("disabled");
    assertThat(keys.revoke(suspended, id(key), null).state()).isEqualTo("revoked");
  }

  @Test
  void valuesThatNoKeyHasAreRefusedTogether() throws Exception {
    var wish =
        new KeyPatch(
            Patch.set(" "),
            Patch.keep(),
            Patch.set(List.of("a/*", "no", "un/known")),
            Patch.set(List.of("dreams")),
            Patch.set(List.of("10.0.0.0/99")),
            new LimitsPatch(Patch.set(-1), Patch.keep(), Patch.keep(), Patch.keep()),
            Patch.set(-1L),
            Patch.keep(),
            Patch.keep(),
            false);
    assertThat(
            String.valueOf(
                refusal(() -> create(owner, new NewKeyFields(wish, null))).details().get("issues")))
        .contains(
            "name",
            "allowed_models[0]",
            "allowed_models[1]",
            "allowed_models[2]",
            "allowed_modalities[0]",
            "allowed_ips[0]",
            "limits.requests_per_second",
            "daily_budget_micro");
    NewKeyFields unknown = named("k").models("un/known").wish();
    assertThat(refused(() -> create(owner, unknown))).isEqualTo("validation_failed");
    create(owner, named("k").models("un/known").force().wish());
    NewKeyFields past = named("old").expires(Instant.EPOCH).wish();
    assertThat(refused(() -> create(owner, past))).isEqualTo("validation_failed");
    assertThat(refused(() -> create(owner, patch().wish()))).isEqualTo("validation_failed");
  }

  @Test
  void aCopyHasTheFieldsOfItsModel() throws Exception {
    KeyView model = create(owner, named("m").daily(3L).monthly(4L).wish()).key();
    KeyView copy = create(owner, named("c").copyOf(id(model))).key();
    assertThat(copy.name()).isEqualTo("c");
    assertThat(copy.dailyBudgetMicro()).isEqualTo(3);
    assertThat(copy.monthlyBudgetMicro()).isEqualTo(4);
  }

  @Test
  void aChangeOfAnOldVersionIsRefused() throws Exception {
    KeyView key = make(owner, "k");
    keys.change(owner, id(key), named("first").make(), key.version());
    var fault = refusal(() -> keys.change(owner, id(key), named("second").make(), key.version()));
    assertThat(fault.details()).containsEntry("reason", "version");
    assertThat(fault.details()).containsEntry("current_version", 2);
  }

  @Test
  void keysMadeAtOnceStayWithinTheMaximum() throws Exception {
    for (int i = 0; i < KEYS_MAX - 1; i++) {
      make(owner, "k" + i);
    }
    List<Callable<Boolean>> races = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      races.add(
          () -> {
            try {
              make(owner, "raced");
              return true;
            } catch (Refused e) {
              assertThat(e.fault().code().wire()).isEqualTo("max_api_keys_reached");
              assertThat(e.fault().details()).containsEntry("max", KEYS_MAX);
              return false;
            }
          });
    }
    int made = 0;
    try (var threads = Executors.newFixedThreadPool(4)) {
      for (Future<Boolean> race : threads.invokeAll(races)) {
        made += race.get() ? 1 : 0;
      }
    }
    assertThat(made).isEqualTo(1);
    testStore.execute("UPDATE organization SET max_api_keys = 6 WHERE id = ?", org.value());
    make(owner, "more room");
    assertThat(keys.list(owner, KeyQuery.ALL, Page.first(50)).max()).isEqualTo(6);
  }

  @Test
  void aChangeWithoutItsAuditRowIsNotMade() throws Exception {
    KeyView key = make(owner, "k");
    testStore.execute(
        """
        CREATE OR REPLACE FUNCTION fail_audit() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF NEW.org_id = '%s' THEN RAISE EXCEPTION 'no audit'; END IF;
          RETURN NEW;
        END $$"""
            .formatted(org));
    testStore.execute(
        "CREATE TRIGGER fail_audit BEFORE INSERT ON audit_event FOR EACH ROW"
            + " EXECUTE FUNCTION fail_audit()");
    try {
      assertThatThrownBy(() -> keys.revoke(owner, id(key), null)).hasMessageContaining("no audit");
      assertThatThrownBy(() -> make(owner, "x")).hasMessageContaining("no audit");
    } finally {
      testStore.execute("DROP TRIGGER fail_audit ON audit_event");
    }
    assertThat(keys.list(owner, KeyQuery.ALL, Page.first(50)).data()).containsExactly(key);
  }

  @Test
  void whatALineageSpentIsShownOnItsPresentKey() throws Exception {
    KeyView key = make(owner, "k");
    charge(key, 30);
    KeyView next = keys.rotate(owner, id(key)).key();
    charge(next, 12);
    KeyView shown = keys.get(owner, id(next));
    assertThat(shown.spend().todayMicro()).isEqualTo(42);
    assertThat(shown.spend().monthMicro()).isEqualTo(42);
    assertThat(shown.spend().dailyResetsAt()).isAfter(Instant.now());
  }

  private void charge(KeyView key, long cost) throws Exception {
    var holder = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
    var request = RequestId.at(System.currentTimeMillis());
    testStore
        .ledgerStore()
        .settle(holder, List.of(TestLedgerStore.charge(request, org, id(key), 0, cost)));
  }

  @Test
  void aListIsFilteredSortedAndPaged() throws Exception {
    testStore.execute("UPDATE organization SET max_api_keys = 0 WHERE id = ?", org.value());
    List<KeyView> made = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      made.add(make(i % 2 == 0 ? owner : developer, "key " + i));
    }
    keys.revoke(owner, id(made.get(0)), null);
    keys.disable(owner, id(made.get(1)));
    charge(made.get(2), 7);
    charge(made.get(3), 9);
    for (KeySort sort : KeySort.values()) {
      var query = new KeyQuery(List.of(), null, null, sort);
      List<String> names = new ArrayList<>();
      String position = null;
      do {
        var page = keys.list(owner, query, new Page(2, position));
        page.data().forEach(key -> names.add(key.name()));
        assertThat(page.total()).isEqualTo(6);
        position = page.next();
      } while (position != null);
      assertThat(names).as(sort.name()).hasSize(6).doesNotHaveDuplicates().doesNotContain("key 0");
      switch (sort) {
        case CREATED -> assertThat(names.getFirst()).isEqualTo("key 6");
        case SPEND -> assertThat(names.subList(0, 2)).containsExactly("key 3", "key 2");
        case LAST_USED -> assertThat(names).contains("key 1");
      }
    }
    assertThat(names(new KeyQuery(List.of("revoked"), null, null, KeySort.CREATED)))
        .containsExactly("key 0");
    assertThat(names(new KeyQuery(List.of("disabled"), null, null, KeySort.CREATED)))
        .containsExactly("key 1");
    String maker = developer.caller().reference();
    assertThat(names(new KeyQuery(List.of(), maker, null, KeySort.CREATED)))
        .containsExactly("key 5", "key 3", "key 1");
    assertThat(names(new KeyQuery(List.of(), null, "KEY 4", KeySort.CREATED)))
        .containsExactly("key 4");
    assertThat(names(new KeyQuery(List.of(), null, made.get(5).id(), KeySort.CREATED)))
        .containsExactly("key 5");
    assertThat(refused(() -> keys.list(owner, KeyQuery.ALL, new Page(2, "'; --|x"))))
        .isEqualTo("validation_failed");
  }

  private List<String> names(KeyQuery query) throws Exception {
    return keys.list(owner, query, Page.first(50)).data().stream().map(KeyView::name).toList();
  }
}
