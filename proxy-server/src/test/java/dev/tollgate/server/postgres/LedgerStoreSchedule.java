package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.LedgerStore.GrantItem;
import dev.tollgate.core.ledger.LedgerStore.GrantRequest;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LeaseStatement;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.LedgerStore.Recall;
import dev.tollgate.core.ledger.LedgerStore.TickAnswer;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.Scope;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.testkit.InMemoryLedgerStore;
import dev.tollgate.core.testkit.LedgerSums;
import dev.tollgate.server.postgres.ledger.PostgresLedgerStore;
import dev.tollgate.server.postgres.tenants.ApiKeys;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Random calls to two ledger stores at once; each call must give the same result in both. */
final class LedgerStoreSchedule {
  private static final long START = Instant.parse("2026-11-28T23:50:00Z").toEpochMilli();
  private static final List<Duration> PAUSES =
      List.of(
          Duration.ofMillis(100),
          Duration.ofSeconds(2),
          Duration.ofSeconds(30),
          Duration.ofSeconds(70),
          Duration.ofHours(9));

  private final TestLedgerStore testStore;
  private final PostgresLedgerStore ledgerStore;
  private final Random random;
  private final InMemoryLedgerStore memory = new InMemoryLedgerStore(START);
  private final Map<KeyId, OrgId> keys = new LinkedHashMap<>();

  /** Keys that were not replaced, which alone are changed. */
  private final List<KeyId> present = new ArrayList<>();

  private final List<UUID> nodes = List.of(UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID());

  /** The last epoch of each node is the last of its holders. */
  private final List<LeaseHolder> holders = new ArrayList<>();

  private final List<Settlement> charges = new ArrayList<>();
  private final Map<LeaseHolder, List<Recall>> recalls = new HashMap<>();
  private long calls;

  private LedgerStoreSchedule(TestLedgerStore testStore, Random random) {
    this.testStore = testStore;
    this.ledgerStore = testStore.ledgerStore();
    this.random = random;
  }

  static LedgerStoreSchedule begin(TestLedgerStore testStore, Random random) throws Exception {
    var schedule = new LedgerStoreSchedule(testStore, random);
    testStore.setClock(START);
    for (int i = 0; i < 2; i++) {
      OrgId org = testStore.newOrg();
      schedule.keys.put(testStore.newKey(org), org);
      schedule.keys.put(testStore.newKey(org), org);
      schedule.fund(org, 1_000);
    }
    schedule.present.addAll(schedule.keys.keySet());
    for (UUID node : schedule.nodes) {
      schedule.open(node);
    }
    return schedule;
  }

  LedgerSums shared() throws SQLException {
    return testStore.sums(keys.values().stream().distinct().toList());
  }

  LedgerSums memory() {
    return memory.sums();
  }

  List<String> violations() {
    return memory.audit();
  }

  /** Stops all nodes, so that they do not count as living in the next schedule. */
  void end() throws LedgerStoreException {
    for (LeaseHolder holder : holders) {
      ledgerStore.close(holder);
    }
  }

  /** Runs a random call, and returns its description. */
  String step() throws Exception {
    return switch (random.nextInt(21)) {
      case 0 -> {
        LeaseHolder holder = anyOf(holders);
        ledgerStore.close(holder);
        memory.close(holder);
        yield "close";
      }
      case 1, 2 -> {
        open(anyOf(nodes));
        yield "open";
      }
      case 3 -> {
        changeLimit();
        yield "limit";
      }
      case 4 -> {
        fund(anyOf(List.copyOf(keys.values())), random.nextInt(400) - 100);
        yield "fund";
      }
      case 5, 6 -> {
        memory.advance(anyOf(PAUSES));
        testStore.setClock(memory.millis());
        yield "time";
      }
      case 7, 8, 9, 10 -> {
        settle();
        yield "settle";
      }
      case 11, 12, 13, 14 -> {
        tick();
        yield "tick";
      }
      case 20 -> {
        rotate();
        yield "rotate";
      }
      default -> {
        grant();
        yield "grant";
      }
    };
  }

  private void open(UUID node) throws LedgerStoreException {
    UUID boot = UUID.randomUUID();
    LeaseHolder holder = ledgerStore.open(node, boot);
    assertThat(memory.open(node, boot)).isEqualTo(holder);
    holders.add(holder);
  }

  private void fund(OrgId org, long micro) throws SQLException {
    if (micro != 0) {
      testStore.fund(org, micro);
      memory.fund(org, new MicroUsd(micro));
    }
  }

  private void changeLimit() throws SQLException {
    Long limit = random.nextInt(4) == 0 ? null : Long.valueOf(random.nextInt(600));
    KeyId key = anyOf(present);
    switch (random.nextInt(3)) {
      case 0 -> {
        testStore.limitMonth(org(key), limit);
        memory.limitMonth(org(key), micro(limit));
      }
      case 1 -> {
        testStore.limitDay(key, limit);
        memory.limitDay(key, micro(limit));
      }
      default -> {
        testStore.limitMonth(key, limit);
        memory.limitMonth(key, micro(limit));
      }
    }
  }

  private void rotate() throws SQLException {
    KeyId old = present.remove(random.nextInt(present.size()));
    var replaced = (ApiKeys.KeyUpdate.Replaced) testStore.store().apiKeys().rotate(old);
    KeyId made = replaced.key().key().id();
    memory.rotate(old, made);
    present.add(made);
    keys.put(made, org(old)); // the old one stays: requests of it may still run
  }

  private Payer payer(KeyId key, long time) {
    return new Payer(org(key), key, memory.lineage(key), Window.at(time));
  }

  private void grant() throws LedgerStoreException {
    Payer payer = payer(anyKey(), anyTime());
    List<GrantItem> wants = new ArrayList<>();
    for (ScopeKind kind : ScopeKind.values()) {
      if (random.nextInt(3) > 0) {
        long least = 1 + random.nextLong(random.nextBoolean() ? 20 : 400);
        long most = least + random.nextInt(200);
        MicroUsd held = random.nextInt(3) == 0 ? micro(random.nextLong(200)) : null;
        wants.add(
            random.nextInt(wants.size() + 1), new GrantItem(kind, micro(least), micro(most), held));
      }
    }
    if (!wants.isEmpty()) {
      LeaseHolder holder = anyHolder();
      long since = Math.max(0, calls - random.nextInt(30));
      GrantRequest ask = new GrantRequest(number(), payer, wants, random.nextInt(4) > 0, since);
      assertThat(ledgerStore.grant(holder, ask)).isEqualTo(memory.grant(holder, ask));
    }
  }

  private void settle() throws LedgerStoreException {
    List<Settlement> batch = new ArrayList<>();
    for (int i = random.nextInt(8); i >= 0; i--) {
      batch.add(anyCharge());
    }
    LeaseHolder holder = anyHolder();
    assertThat(ledgerStore.settle(holder, batch)).isEqualTo(memory.settle(holder, batch));
  }

  private void tick() throws LedgerStoreException {
    LeaseHolder holder = anyHolder();
    Map<String, LeaseStatement> said = new LinkedHashMap<>();
    for (Recall recall : recalls.getOrDefault(holder, List.of())) {
      if (random.nextInt(4) > 0) {
        payer(recall.scope())
            .map(payer -> statement(payer, recall.scope().kind(), recall.number()))
            .ifPresent(statement -> said.put(statement.scope().id(), statement));
      }
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      Payer payer = payer(anyKey(), anyTime());
      ScopeKind kind = anyOf(List.of(ScopeKind.values()));
      LeaseStatement statement = statement(payer, kind, random.nextLong(3));
      said.putIfAbsent(statement.scope().id(), statement);
    }
    List<LeaseStatement> statements = List.copyOf(said.values());
    long number = number();
    TickAnswer answer = ledgerStore.tick(holder, number, statements);
    assertThat(answer).isEqualTo(memory.tick(holder, number, statements));
    if (answer instanceof TickAnswer.Accepted alive) {
      recalls.put(holder, alive.recalls());
    }
  }

  private LeaseStatement statement(Payer payer, ScopeKind kind, long recall) {
    return new LeaseStatement(
        payer, kind, micro(random.nextLong(200)), recall, random.nextInt(4) == 0);
  }

  /** Returns a payer that the scope belongs to, if the scope is of these days. */
  private Optional<Payer> payer(Scope scope) {
    return keys.keySet().stream()
        .flatMap(
            key ->
                Stream.of(memory.millis(), memory.millis() - 86_400_000)
                    .map(time -> payer(key, time)))
        .filter(payer -> payer.scope(scope.kind()).equals(scope))
        .findFirst();
  }

  /** Returns the next number of a call, sometimes a late or repeated one. */
  private long number() {
    return random.nextInt(4) > 0 ? ++calls : Math.max(1, calls - random.nextInt(6));
  }

  /** Returns a new charge, or one that was sent before. */
  private Settlement anyCharge() {
    if (!charges.isEmpty() && random.nextInt(4) == 0) {
      return anyOf(charges);
    }
    KeyId key = anyKey();
    RequestId request = RequestId.at(anyTime());
    Settlement charge =
        TestLedgerStore.charge(request, org(key), key, random.nextInt(16), random.nextInt(40));
    charges.add(charge);
    return charge;
  }

  private long anyTime() {
    return memory.millis() - (random.nextInt(4) == 0 ? 86_400_000 : 0);
  }

  /** Returns a holder, usually a living one. */
  private LeaseHolder anyHolder() {
    int last = Math.min(holders.size(), random.nextInt(8) == 0 ? holders.size() : 4);
    return holders.get(holders.size() - 1 - random.nextInt(last));
  }

  private KeyId anyKey() {
    return anyOf(List.copyOf(keys.keySet()));
  }

  private OrgId org(KeyId key) {
    return Objects.requireNonNull(keys.get(key));
  }

  private <T> T anyOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private static @Nullable MicroUsd micro(@Nullable Long amount) {
    return amount == null ? null : new MicroUsd(amount);
  }

  private static MicroUsd micro(long amount) {
    return new MicroUsd(amount);
  }
}
