package dev.tollgate.server.account.tenant;

import static dev.tollgate.server.account.TestAccounts.refused;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.limit.LimitLevels;
import dev.tollgate.core.limit.LocalCounters;
import dev.tollgate.core.testkit.TestAcquires;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.TestAccounts;
import dev.tollgate.server.account.tenant.CreditService.Booking;
import dev.tollgate.server.account.tenant.CreditService.SpendingLimit;
import dev.tollgate.server.account.tenant.LedgerList.LedgerLine;
import dev.tollgate.server.account.tenant.LedgerList.LedgerQuery;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.postgres.tenants.ApiKeys;
import dev.tollgate.server.postgres.tenants.Credits.EntryKind;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Balance, ledger, spending limit, budgets, limits and webhook secret of an organization. */
class MoneyIT {
  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private final TestAccounts accounts = new TestAccounts(testStore);
  private CreditService credits;
  private LedgerList ledger;
  private OrgId org;
  private OrgAccess owner;
  private OrgAccess operator;

  @BeforeEach
  void make() throws Exception {
    credits = new CreditService(testStore.store().pool(), () -> {});
    ledger = new LedgerList(testStore.store().pool());
    org = testStore.newOrg();
    owner = accounts.member(org, Role.OWNER);
    operator = accounts.operatorAccess(org);
  }

  private CreditService.Booked book(EntryKind kind, long micro, String ref) throws Exception {
    return credits.book(operator, new Booking(kind, micro, ref, "why"), IdempotencyClaim.NONE);
  }

  private void charge(LeaseHolder holder, KeyId key, int daysAgo, long cost) throws Exception {
    long then = System.currentTimeMillis() - Duration.ofDays(daysAgo).toMillis();
    testStore
        .ledgerStore()
        .settle(holder, List.of(TestLedgerStore.charge(RequestId.at(then), org, key, 0, cost)));
  }

  private LeaseHolder node() throws Exception {
    return testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
  }

  @Test
  void anEntryIsBookedOnceByOperators() throws Exception {
    String ref = UUID.randomUUID().toString();
    assertThat(book(EntryKind.FUNDING, 100, ref))
        .isEqualTo(new CreditService.Booked(true, ref, 100, 100));
    assertThat(book(EntryKind.FUNDING, 100, ref))
        .isEqualTo(new CreditService.Booked(false, ref, 100, 100));
    assertThat(refused(() -> book(EntryKind.FUNDING, 101, ref))).isEqualTo("conflict");
    assertThat(refused(() -> book(EntryKind.ADJUSTMENT, 100, ref))).isEqualTo("conflict");
    assertThat(refused(() -> book(EntryKind.FUNDING, -1, "x"))).isEqualTo("validation_failed");
    assertThat(refused(() -> book(EntryKind.REFUND, 1, "x"))).isEqualTo("validation_failed");
    assertThat(refused(() -> book(EntryKind.ADJUSTMENT, 0, "x"))).isEqualTo("validation_failed");
    var wish = new Booking(EntryKind.FUNDING, 1, "x", null);
    assertThat(refused(() -> credits.book(owner, wish, IdempotencyClaim.NONE)))
        .isEqualTo("forbidden");
    assertThat(accounts.audit(org)).hasSize(1).first().asString().contains("credits.book", ref);
  }

  @Test
  void theListExplainsTheBalanceToTheMicroUsd() throws Exception {
    var random = new Random(28);
    LeaseHolder node = node();
    List<KeyId> keys = new ArrayList<>(List.of(testStore.newKey(org), testStore.newKey(org)));
    List<Integer> days = List.of(0, 1, 2, 5, 6);
    for (int i = 0; i < 60; i++) {
      switch (random.nextInt(5)) {
        case 0 -> book(EntryKind.FUNDING, 1 + random.nextInt(1000), UUID.randomUUID().toString());
        case 1 -> book(EntryKind.ADJUSTMENT, -1 - random.nextInt(10), UUID.randomUUID().toString());
        case 2 -> {
          KeyId old = keys.removeFirst();
          var made = testStore.store().apiKeys().rotate(old);
          keys.add(((ApiKeys.KeyUpdate.Replaced) made).key().key().id());
        }
        default ->
            charge(
                node,
                keys.get(random.nextInt(keys.size())),
                days.get(random.nextInt(days.size())),
                random.nextInt(50));
      }
      if (i == 30) {
        testStore.store().ledgerPartitions().close();
      }
      if (i % 10 == 9) {
        requireExplained();
      }
    }
  }

  private void requireExplained() throws Exception {
    List<LedgerLine> lines = all(LedgerQuery.ALL);
    long balance = credits.credits(owner).balanceMicro();
    assertThat(lines.stream().mapToLong(LedgerLine::amountMicro).sum()).isEqualTo(balance);
    assertThat(lines.getFirst().balanceAfterMicro()).isEqualTo(balance);
    long before = 0;
    List<LedgerLine> oldestFirst = new ArrayList<>(lines);
    Collections.reverse(oldestFirst);
    for (LedgerLine line : oldestFirst) {
      before += line.amountMicro();
      assertThat(line.balanceAfterMicro()).isEqualTo(before);
    }
    assertThat(lines).extracting(LedgerLine::id).doesNotHaveDuplicates();
  }

  private List<LedgerLine> all(LedgerQuery query) throws Exception {
    List<LedgerLine> lines = new ArrayList<>();
    String position = null;
    do {
      var part = ledger.list(owner, query, new Page(3, position));
      lines.addAll(part.data());
      position = part.next();
    } while (position != null);
    return lines;
  }

  @Test
  void theLedgerIsFilteredAndReadByThoseWhoMay() throws Exception {
    book(EntryKind.FUNDING, 100, UUID.randomUUID().toString());
    charge(node(), testStore.newKey(org), 0, 7);
    String today = Instant.now().atOffset(ZoneOffset.UTC).toLocalDate().toString();
    assertThat(all(new LedgerQuery(null, null, List.of("charges"))))
        .singleElement()
        .satisfies(
            line -> {
              assertThat(line.id()).isEqualTo("charges:" + today);
              assertThat(line.amountMicro()).isEqualTo(-7);
              assertThat(line.balanceAfterMicro()).isEqualTo(93);
            });
    assertThat(all(new LedgerQuery(null, null, List.of("funding"))))
        .singleElement()
        .satisfies(
            line -> {
              assertThat(line.reason()).isEqualTo("why");
              assertThat(line.actor()).isNotNull();
            });
    assertThat(all(new LedgerQuery(Instant.now().plusSeconds(60), null, List.of()))).isEmpty();
    assertThat(refused(() -> new LedgerQuery(null, null, List.of("gifts"))))
        .isEqualTo("validation_failed");
    for (Role role : List.of(Role.VIEWER, Role.DEVELOPER)) {
      OrgAccess member = accounts.member(org, role);
      assertThat(refused(() -> ledger.list(member, LedgerQuery.ALL, Page.first(1))))
          .isEqualTo("forbidden");
      assertThat(credits.credits(member).balanceMicro()).isEqualTo(93);
    }
    assertThat(
            ledger.list(accounts.member(org, Role.BILLING), LedgerQuery.ALL, Page.first(1)).data())
        .hasSize(1);
  }

  @Test
  void theSpendingLimitStaysBelowTheCap() throws Exception {
    testStore.execute(
        "UPDATE organization SET monthly_limit_cap_micro = 50 WHERE id = ?", org.value());
    accounts.suspend(org);
    OrgAccess billing = accounts.member(org, Role.BILLING);
    CreditsView set =
        credits.setSpendingLimit(
            billing, new SpendingLimit(Patch.set(50L), Patch.set(List.of(90, 50)), Patch.set(5L)));
    assertThat(set.monthly().limitMicro()).isEqualTo(50);
    assertThat(set.monthly().capMicro()).isEqualTo(50);
    assertThat(set.alerts()).containsExactlyInAnyOrder(50, 90);
    assertThat(set.alertBelowMicro()).isEqualTo(5);
    for (Long over : new Long[] {51L, null}) {
      var wish = new SpendingLimit(Patch.set(over), Patch.keep(), Patch.keep());
      assertThat(refused(() -> credits.setSpendingLimit(billing, wish)))
          .isEqualTo("validation_failed over_cap");
    }
    var alerts = new SpendingLimit(Patch.keep(), Patch.set(List.of(101)), Patch.keep());
    assertThat(refused(() -> credits.setSpendingLimit(billing, alerts)))
        .isEqualTo("validation_failed");
    OrgAccess developer = accounts.member(org, Role.DEVELOPER);
    var lower = new SpendingLimit(Patch.set(1L), Patch.keep(), Patch.keep());
    assertThat(refused(() -> credits.setSpendingLimit(developer, lower))).isEqualTo("forbidden");
    assertThat(accounts.audit(org)).singleElement().asString().contains("limit.spending");
  }

  @Test
  void budgetsAreSortedByTheirUse() throws Exception {
    KeyId key = testStore.newKey(org);
    testStore.execute(
        "UPDATE api_key SET daily_budget_micro = 100, monthly_budget_micro = 20 WHERE id = ?",
        key.value());
    testStore.execute("UPDATE organization SET monthly_limit_micro = 0 WHERE id = ?", org.value());
    charge(node(), key, 0, 10);
    var budgets = new BudgetService(testStore.store().pool()).budgets(owner);
    assertThat(budgets)
        .extracting(each -> each.scope() + " " + each.usedPercent() + " " + each.remainingMicro())
        .containsExactly("organization_month 100 0", "key_month 50 10", "key_day 10 90");
    assertThat(budgets.getLast().key()).isEqualTo(new BudgetService.Budget.Key(key.value(), "k"));
  }

  @Test
  void refusalsOfADayAreCounted() throws Exception {
    testStore.execute(
        "INSERT INTO refusal_count VALUES (date_trunc('minute', now()), 'k', 'key_revoked', ?, 3),"
            + " (now() - interval '2 days', 'k', 'key_revoked', ?, 9)",
        org.value(),
        org.value());
    var limits = limits(shared(Optional.empty()));
    LimitService.LimitsView view = limits.limits(owner);
    assertThat(view.refusals24h()).containsExactly(new LimitService.Refusals("key_revoked", 3));
    assertThat(view.keyDefaults()).isEqualTo(new KeyView.Limits(50, 3000, 0L, 100));
  }

  private LimitService limits(LimitLevels levels) {
    return new LimitService(testStore.store().pool(), () -> KeyServiceIT.LIMITS, levels);
  }

  @Test
  void whatOneNodeCountsIsToldWhileItIsTheOnlyOne() throws Exception {
    var counters = new LocalCounters(System::nanoTime, 1_000);
    List<Bucket> buckets = KeyServiceIT.LIMITS.rules().organizationBuckets(org);
    var amounts = buckets.stream().map(bucket -> new Acquire.BucketAmount(bucket, 1)).toList();
    Acquire acquire =
        TestAcquires.of(
            RequestId.at(System.currentTimeMillis()), amounts, new Acquire.Slot.Unlimited());
    for (int n = 0; n < 100; n++) {
      counters.acquire(acquire, Runnable::run, _ -> {});
    }
    LimitService limits = limits(new LimitLevels.OfNode(counters));
    testStore.execute("UPDATE node_epoch SET heartbeat_at = ledger_now() - interval '61 seconds'");
    node();
    KeyView.Limits used = requireNonNull(limits.limits(owner).used());
    assertThat(used.requestsPerMinute()).isBetween(1, 100);
    assertThat(used.requestsPerSecond()).isBetween(0, 100);
    assertThat(used.concurrency()).isNull();
    assertThat(used.tokensPerMinute()).isNull();
    node();
    assertThat(limits.limits(owner).used()).as("two nodes, and no Redis").isNull();
  }

  @Test
  void whatAllNodesCountIsToldIfItIsKnown() throws Exception {
    assertThat(limits(shared(Optional.of(List.of(5L, 17L)))).limits(owner).used())
        .isEqualTo(new KeyView.Limits(5, 17, null, null));
    assertThat(limits(shared(Optional.empty())).limits(owner).used()).isNull();
  }

  private static LimitLevels shared(Optional<List<Long>> used) {
    return (LimitLevels.OfAllNodes) _ -> used;
  }

  @Test
  void aWebhookSecretIsRevealedAndRotatedWithARowInTheAuditLog() throws Exception {
    List<String> mailed = new ArrayList<>();
    OrgMail mail =
        new OrgMail() {
          @Override
          public void webhookSecretRotated(Connection connection, String to, String organization) {
            mailed.add(to + " " + organization);
          }

          @Override
          public void monthlyLimitReached(
              Connection connection, String to, String organization, int percent, long micro) {
            mailed.add(to + " limit");
          }

          @Override
          public void balanceIsBelow(
              Connection connection, String to, String organization, long micro) {
            mailed.add(to + " balance");
          }
        };
    var store = testStore.store();
    var secrets = new WebhookSecretService(store.pool(), store.webhookSecrets(), mail);
    OrgAccess developer = accounts.member(org, Role.DEVELOPER);
    assertThat(secrets.info(developer).previousUntil()).isNull();
    String before = secrets.reveal(developer).secret();
    assertThat(before).startsWith("whsec_");
    assertThat(refused(() -> secrets.rotate(developer, Duration.ZERO))).isEqualTo("forbidden");
    var rotated = secrets.rotate(owner, Duration.ofHours(1));
    assertThat(rotated.secret()).startsWith("whsec_").isNotEqualTo(before);
    assertThat(rotated.previousUntil()).isNotNull();
    assertThat(rotated.toString()).doesNotContain("whsec_");
    assertThat(mailed).containsExactly(owner.caller().person().email() + " " + owner.orgName());
    assertThat(secrets.info(owner).previousUntil()).isEqualTo(rotated.previousUntil());
    assertThat(refused(() -> secrets.rotate(owner, Duration.ofDays(8))))
        .isEqualTo("validation_failed");
    OrgAccess viewer = accounts.member(org, Role.VIEWER);
    assertThat(refused(() -> secrets.reveal(viewer))).isEqualTo("forbidden");
    assertThat(accounts.audit(org))
        .extracting(row -> row.split(" ", 3)[1])
        .containsExactly("webhook.secret_reveal", "webhook.secret_rotate");
    assertThat(String.join("", accounts.audit(org))).doesNotContain("whsec_");
  }
}
