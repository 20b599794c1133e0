package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Bank.Ask;
import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Bank.Recall;
import dev.tollgate.core.ledger.Bank.Statement;
import dev.tollgate.core.ledger.Bank.TickAnswer;
import dev.tollgate.core.ledger.Bank.Want;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.Scope;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.testkit.BankSums;
import dev.tollgate.core.testkit.InMemoryBank;
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

/** Random calls to two books at once; each must give the same answer in both. */
final class BankSchedule {
  private static final long START = Instant.parse("2026-11-28T23:50:00Z").toEpochMilli();
  private static final List<Duration> PAUSES =
      List.of(
          Duration.ofMillis(100),
          Duration.ofSeconds(2),
          Duration.ofSeconds(30),
          Duration.ofSeconds(70),
          Duration.ofHours(9));

  private final TestBooks books;
  private final PostgresBank bank;
  private final Random random;
  private final InMemoryBank memory = new InMemoryBank(START);
  private final Map<KeyId, OrgId> keys = new LinkedHashMap<>();
  private final List<UUID> nodes = List.of(UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID());

  /** The last life of each node is the last of its holders. */
  private final List<Holder> holders = new ArrayList<>();

  private final List<Settlement> charges = new ArrayList<>();
  private final Map<Holder, List<Recall>> recalls = new HashMap<>();
  private long calls;

  private BankSchedule(TestBooks books, Random random) {
    this.books = books;
    this.bank = books.bank();
    this.random = random;
  }

  static BankSchedule begin(TestBooks books, Random random) throws Exception {
    var schedule = new BankSchedule(books, random);
    books.setClock(START);
    for (int i = 0; i < 2; i++) {
      OrgId org = books.newOrg();
      schedule.keys.put(books.newKey(org), org);
      schedule.keys.put(books.newKey(org), org);
      schedule.fund(org, 1_000);
    }
    for (UUID node : schedule.nodes) {
      schedule.open(node);
    }
    return schedule;
  }

  BankSums shared() throws SQLException {
    return books.sums(keys.values().stream().distinct().toList());
  }

  BankSums memory() {
    return memory.sums();
  }

  List<String> violations() {
    return memory.audit();
  }

  /** All nodes stop, so that they do not count as living in the next schedule. */
  void end() throws BankException {
    for (Holder holder : holders) {
      bank.close(holder);
    }
  }

  /** Does something, and says what. */
  String step() throws Exception {
    return switch (random.nextInt(20)) {
      case 0 -> {
        Holder holder = anyOf(holders);
        bank.close(holder);
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
        books.setClock(memory.millis());
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
      default -> {
        grant();
        yield "grant";
      }
    };
  }

  private void open(UUID node) throws BankException {
    UUID boot = UUID.randomUUID();
    Holder holder = bank.open(node, boot);
    assertThat(memory.open(node, boot)).isEqualTo(holder);
    holders.add(holder);
  }

  private void fund(OrgId org, long micro) throws SQLException {
    if (micro != 0) {
      books.fund(org, micro);
      memory.fund(org, new MicroUsd(micro));
    }
  }

  private void changeLimit() throws SQLException {
    Long limit = random.nextInt(4) == 0 ? null : Long.valueOf(random.nextInt(600));
    KeyId key = anyKey();
    switch (random.nextInt(3)) {
      case 0 -> {
        books.limitMonth(org(key), limit);
        memory.limitMonth(org(key), micro(limit));
      }
      case 1 -> {
        books.limitDay(key, limit);
        memory.limitDay(key, micro(limit));
      }
      default -> {
        books.limitMonth(key, limit);
        memory.limitMonth(key, micro(limit));
      }
    }
  }

  private void grant() throws BankException {
    KeyId key = anyKey();
    Payer payer = new Payer(org(key), key, Window.at(anyTime()));
    List<Want> wants = new ArrayList<>();
    for (ScopeKind kind : ScopeKind.values()) {
      if (random.nextInt(3) > 0) {
        long least = 1 + random.nextLong(random.nextBoolean() ? 20 : 400);
        long most = least + random.nextInt(200);
        MicroUsd held = random.nextInt(3) == 0 ? micro(random.nextLong(200)) : null;
        wants.add(
            random.nextInt(wants.size() + 1), new Want(kind, micro(least), micro(most), held));
      }
    }
    if (!wants.isEmpty()) {
      Holder holder = anyHolder();
      long since = Math.max(0, calls - random.nextInt(30));
      Ask ask = new Ask(number(), payer, wants, random.nextInt(4) > 0, since);
      assertThat(bank.grant(holder, ask)).isEqualTo(memory.grant(holder, ask));
    }
  }

  private void settle() throws BankException {
    List<Settlement> batch = new ArrayList<>();
    for (int i = random.nextInt(8); i >= 0; i--) {
      batch.add(anyCharge());
    }
    Holder holder = anyHolder();
    assertThat(bank.settle(holder, batch)).isEqualTo(memory.settle(holder, batch));
  }

  private void tick() throws BankException {
    Holder holder = anyHolder();
    Map<String, Statement> said = new LinkedHashMap<>();
    for (Recall recall : recalls.getOrDefault(holder, List.of())) {
      if (random.nextInt(4) > 0) {
        payer(recall.scope())
            .map(payer -> statement(payer, recall.scope().kind(), recall.number()))
            .ifPresent(statement -> said.put(statement.scope().id(), statement));
      }
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      KeyId key = anyKey();
      Payer payer = new Payer(org(key), key, Window.at(anyTime()));
      ScopeKind kind = anyOf(List.of(ScopeKind.values()));
      Statement statement = statement(payer, kind, random.nextLong(3));
      said.putIfAbsent(statement.scope().id(), statement);
    }
    List<Statement> statements = List.copyOf(said.values());
    long number = number();
    TickAnswer answer = bank.tick(holder, number, statements);
    assertThat(answer).isEqualTo(memory.tick(holder, number, statements));
    if (answer instanceof TickAnswer.Alive alive) {
      recalls.put(holder, alive.recalls());
    }
  }

  private Statement statement(Payer payer, ScopeKind kind, long recall) {
    return new Statement(payer, kind, micro(random.nextLong(200)), recall, random.nextInt(4) == 0);
  }

  /** One that a scope belongs to, if it is of these days. */
  private Optional<Payer> payer(Scope scope) {
    return keys.entrySet().stream()
        .flatMap(
            key ->
                Stream.of(memory.millis(), memory.millis() - 86_400_000)
                    .map(time -> new Payer(key.getValue(), key.getKey(), Window.at(time))))
        .filter(payer -> payer.scope(scope.kind()).equals(scope))
        .findFirst();
  }

  /** The next one of a call, and now and then one that comes late or again. */
  private long number() {
    return random.nextInt(4) > 0 ? ++calls : Math.max(1, calls - random.nextInt(6));
  }

  /** A new one, or one that was sent before. */
  private Settlement anyCharge() {
    if (!charges.isEmpty() && random.nextInt(4) == 0) {
      return anyOf(charges);
    }
    KeyId key = anyKey();
    RequestId request = RequestId.at(anyTime());
    Settlement charge =
        TestBooks.charge(request, org(key), key, random.nextInt(16), random.nextInt(40));
    charges.add(charge);
    return charge;
  }

  private long anyTime() {
    return memory.millis() - (random.nextInt(4) == 0 ? 86_400_000 : 0);
  }

  /** Mostly one that lives. */
  private Holder anyHolder() {
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
