package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Settlement.How;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.server.postgres.ApiKeys;
import dev.tollgate.server.postgres.DataDirLock;
import dev.tollgate.server.postgres.PostgresBank;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.StoreOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How many charges a second the books take from one node, with their rows in the request log:
 * batches as large as a backlog makes them, for one key, and spread over 500.
 */
class SettleBench {
  private static final int ROUNDS = Integer.getInteger("bench.rounds", 8);
  private static final int BATCHES = Integer.getInteger("bench.batches", 10);
  private static final int BATCH = Integer.getInteger("bench.batch", 5_000);
  private static final Path RESULTS = Path.of("target/bench/settle.txt");

  @TempDir private Path folder = Path.of("");

  @Test
  void chargesPerSecond() throws Exception {
    try (DataDirLock lock = DataDirLock.take(folder);
        Store store = Store.start(lock, StoreOptions.embedded(folder))) {
      Shape one = Shape.of(store, "one", 1);
      Shape many = Shape.of(store, "many", 500);
      PostgresBank bank = store.bank();
      Holder holder = bank.open(UUID.randomUUID(), UUID.randomUUID());
      List<Double> ofOne = new ArrayList<>();
      List<Double> ofMany = new ArrayList<>();
      for (int round = -2; round < ROUNDS; round++) { // the first ones warm up
        double a = perSecond(bank, holder, one);
        double b = perSecond(bank, holder, many);
        if (round >= 0) {
          ofOne.add(a);
          ofMany.add(b);
        }
      }
      print("one key", ofOne);
      print("500 keys", ofMany);
      assertThat(store.ledgerAudit().run()).isEmpty();
    }
  }

  private static double perSecond(PostgresBank bank, Holder holder, Shape shape) throws Exception {
    List<List<Settlement>> batches = new ArrayList<>();
    for (int i = 0; i < BATCHES; i++) {
      batches.add(shape.batch());
    }
    long began = System.nanoTime();
    for (List<Settlement> batch : batches) {
      var _ = bank.settle(holder, batch);
    }
    Duration took = Duration.ofNanos(System.nanoTime() - began);
    return BATCHES * BATCH / (took.toNanos() / 1e9);
  }

  /** Charges of one organization. */
  private record Shape(OrgId org, List<KeyId> keys) {
    static Shape of(Store store, String name, int keys) throws Exception {
      store.organizations().create(name, null);
      OrgId org = store.organizations().find(name).orElseThrow().org().id();
      List<KeyId> made = new ArrayList<>();
      for (int i = 0; i < keys; i++) {
        var wish = new ApiKeys.Wish("key" + i, KeyScope.ALL, KeyLimits.DEFAULT, null);
        var key = (ApiKeys.Creation.Created) store.apiKeys().create(org, wish, 0);
        made.add(key.key().key().id());
      }
      return new Shape(org, made);
    }

    List<Settlement> batch() {
      List<Settlement> batch = new ArrayList<>();
      for (int i = 0; i < BATCH; i++) {
        RequestId request = RequestId.at(System.currentTimeMillis());
        batch.add(
            new Settlement(
                request,
                org,
                keys.get(i % keys.size()),
                1,
                new MicroUsd(900),
                new MicroUsd(420),
                new Tokens(1_000, 200, 0, 0, false),
                How.COMPLETED,
                row(request)));
      }
      return batch;
    }

    /** As long as that of a plain request. */
    private static byte[] row(RequestId request) {
      String phases =
          List.of("admitted", "reserving", "connecting", "waiting", "relaying", "settling").stream()
              .map("{\"phase\":\"%s\",\"at_ms\":12.345}"::formatted)
              .reduce((a, b) -> a + "," + b)
              .orElseThrow();
      return """
          {"ts":"2026-11-20T12:00:00.123Z","request_id":"%s","method":"POST",\
          "route":"/v1/chat/completions","status":200,"outcome":"ok","client_ip":"203.0.113.7",\
          "total_ms":840.123,"org":"00000000-0000-0000-0000-000000000007","key_id":"k3yId001",\
          "key_last4":"Wxyz","model":"mock/chat","provider":"mock","stream":true,\
          "ttft_ms":51.234,"upstream_ms":812.345,"overhead_ms":0.212,"prompt_tokens":1000,\
          "completion_tokens":200,"estimated":false,"cost_micro":420,"attempts":\
          [{"provider":"mock","outcome":"ok","status":200,"ms":812.345}],"phases":[%s],\
          "request_bytes":4321,"response_bytes":2567}\
          """
          .formatted(request, phases)
          .getBytes(StandardCharsets.UTF_8);
    }
  }

  private static void print(String what, List<Double> perSecond) throws IOException {
    perSecond.sort(null);
    String line =
        String.format(
            Locale.ROOT,
            "%s: median %.0f charges/s, from %.0f to %.0f, in batches of %d%n",
            what,
            perSecond.get(perSecond.size() / 2),
            perSecond.getFirst(),
            perSecond.getLast(),
            BATCH);
    Files.createDirectories(RESULTS.getParent());
    Files.writeString(RESULTS, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }
}
