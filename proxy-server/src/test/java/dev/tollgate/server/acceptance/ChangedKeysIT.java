package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.tenants.ApiKeys;
import dev.tollgate.server.postgres.tenants.ApiKeys.ApiKeySpec;
import dev.tollgate.server.postgres.tenants.ApiKeys.KeyCreation;
import dev.tollgate.server.redis.RedisProcess;
import dev.tollgate.server.settings.RedisSettings;
import dev.tollgate.server.wiring.KeyChangeNotification;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Delay until all nodes act on changed keys: over many keys, with a Redis that announces changes
 * and with polling only.
 */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class ChangedKeysIT {
  private static final List<String> SMALL = List.of("-XX:+UseSerialGC");
  private static final int CHANGES = Integer.getInteger("tollgate.changed.heard", 40);
  private static final int POLLED = Integer.getInteger("tollgate.changed.polled", 10);
  private static final Duration EVERYWHERE = Duration.ofSeconds(5);
  private static final String MODEL = "acme/cheap";

  @Test
  void withRedisNodesActAtOnce() throws Exception {
    try (var redis = RedisProcess.start();
        GatewayProcess one = node("redis.url=" + redis.url());
        GatewayProcess two = node("redis.url=" + redis.url());
        GatewayProcess three = node("redis.url=" + redis.url());
        Store store = Store.forCommand(Tenants.store());
        KeyChangeNotification announcement =
            KeyChangeNotification.open(settings(new Secret(redis.url())))) {
      var changes =
          new Changes(List.of(one, two, three), org(store), store.apiKeys(), announcement);
      List<Long> revoked = changes.revoke(CHANGES);
      RecordedFigures.keep("revoked-redis", figures("revoked keys, Redis", revoked));
      assertThat(p99(revoked)).isLessThan(1_000);

      List<Long> limited = changes.limit(CHANGES / 4);
      RecordedFigures.keep("limited-redis", figures("changed limits, Redis", limited));
      assertThat(limited).allSatisfy(each -> assertThat(each).isLessThan(EVERYWHERE.toMillis()));
    }
  }

  @Test
  void withoutRedisNodesActOnTheirNextPoll() throws Exception {
    try (GatewayProcess one = node();
        GatewayProcess two = node();
        Store store = Store.forCommand(Tenants.store());
        KeyChangeNotification withoutRedis = KeyChangeNotification.open(settings(null))) {
      var changes = new Changes(List.of(one, two), org(store), store.apiKeys(), withoutRedis);
      List<Long> revoked = changes.revoke(POLLED);
      RecordedFigures.keep("revoked-polled", figures("revoked keys, polls", revoked));
      assertThat(revoked).allSatisfy(each -> assertThat(each).isLessThan(EVERYWHERE.toMillis()));

      List<Long> limited = changes.limit(POLLED / 2);
      RecordedFigures.keep("limited-polled", figures("changed limits, polls", limited));
      assertThat(limited).allSatisfy(each -> assertThat(each).isLessThan(EVERYWHERE.toMillis()));
    }
  }

  private static GatewayProcess node(String... settings) {
    return SharedNode.beside(SharedNode.setup(), SMALL, settings);
  }

  private static RedisSettings settings(@Nullable Secret url) {
    return new RedisSettings(url, Duration.ofMillis(50));
  }

  private static OrgId org(Store store) throws SQLException {
    return store.organizations().find("acceptance").orElseThrow().org().id();
  }

  private static String figures(String what, List<Long> millis) {
    List<Long> sorted = millis.stream().sorted().toList();
    return "%s: %d answers of nodes, p50 %d ms, p99 %d ms, the last %d ms"
        .formatted(
            what, sorted.size(), sorted.get(sorted.size() / 2), p99(sorted), sorted.getLast());
  }

  private static long p99(List<Long> millis) {
    return millis.stream().sorted().toList().get((millis.size() - 1) * 99 / 100);
  }

  /** Keys that are created, used at all nodes, and then changed. */
  private record Changes(
      List<GatewayProcess> nodes, OrgId org, ApiKeys keys, KeyChangeNotification announcement) {
    List<Long> revoke(int count) throws Exception {
      List<Long> millis = new ArrayList<>();
      for (int n = 0; n < count; n++) {
        KeyCreation.Created key = make();
        millis.addAll(after(key, () -> keys.revoke(id(key)), reply -> reply.status() == 401));
      }
      return millis;
    }

    /** To one request a minute, so that the second request is refused. */
    List<Long> limit(int count) throws Exception {
      List<Long> millis = new ArrayList<>();
      for (int n = 0; n < count; n++) {
        KeyCreation.Created key = make();
        millis.addAll(
            after(
                key,
                () ->
                    keys.set(
                        id(key),
                        old ->
                            new ApiKeySpec(
                                old.name(),
                                old.scope(),
                                new KeyLimits(0, 1, 0L, 0, null, null),
                                null)),
                reply -> "1".equals(reply.header("x-ratelimit-limit-requests"))));
      }
      return millis;
    }

    private KeyCreation.Created make() throws Exception {
      var unlimited = new KeyLimits(0, 0, 0L, 0, null, null);
      var spec = new ApiKeySpec("changing", KeyScope.ALL, unlimited, null);
      var made = (KeyCreation.Created) keys.create(org, spec, 0);
      for (GatewayProcess node : nodes) {
        String key = made.secret().text();
        long deadline = System.nanoTime() + EVERYWHERE.toNanos();
        while (ChatRequests.ask(node, MODEL, key).status() != 200) {
          assertThat(System.nanoTime()).as("a new key is known").isLessThan(deadline);
        }
      }
      return made;
    }

    private static KeyId id(KeyCreation.Created made) {
      return made.key().key().id();
    }

    private interface Change {
      void make() throws Exception;
    }

    /**
     * Returns when each node first answered with the new state, in ms after the commit of the
     * change.
     */
    private List<Long> after(KeyCreation.Created key, Change change, Predicate<RawResponse> seen)
        throws Exception {
      try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
        change.make();
        long changed = System.nanoTime();
        announcement.publish();
        List<Future<Long>> firsts = new ArrayList<>();
        for (GatewayProcess node : nodes) {
          firsts.add(clients.submit(() -> first(node, key.secret().text(), changed, seen)));
        }
        List<Long> millis = new ArrayList<>();
        for (Future<Long> first : firsts) {
          millis.add(first.get(2 * EVERYWHERE.toSeconds(), TimeUnit.SECONDS));
        }
        return millis;
      }
    }

    private static long first(
        GatewayProcess node, String key, long changed, Predicate<RawResponse> seen) {
      try (RawClient client = node.connect()) {
        while (true) {
          RawResponse reply =
              client
                  .post(
                      ChatRequests.PATH,
                      ChatRequests.body(MODEL, false),
                      ChatRequests.authorization(key))
                  .readResponse();
          long millis = Duration.ofNanos(System.nanoTime() - changed).toMillis();
          if (seen.test(reply) || millis > EVERYWHERE.toMillis()) {
            return millis;
          }
        }
      }
    }
  }
}
