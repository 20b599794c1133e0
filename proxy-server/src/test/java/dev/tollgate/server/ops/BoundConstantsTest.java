package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.egress.ImageFetchClient;
import dev.tollgate.core.egress.PublicAddressResolver;
import dev.tollgate.core.ledger.LedgerRules;
import dev.tollgate.core.limit.RefusalBudgets;
import dev.tollgate.core.tenant.KeyCache;
import dev.tollgate.core.tenant.KeyIds;
import dev.tollgate.server.postgres.jobs.PostgresJobs;
import io.netty.channel.WriteBufferWaterMark;
import java.lang.reflect.Field;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The fixed bounds in the table {@link ResourceBound} equal the constants of the classes. */
final class BoundConstantsTest {
  private static final String CORE = "dev.tollgate.core.";
  private static final String SERVER = "dev.tollgate.server.";

  @Test
  void everyFixedBoundEqualsItsConstant() throws Exception {
    Map<ResourceBound, Long> acting = new EnumMap<>(ofKeys());
    acting.putAll(
        Map.ofEntries(
            Map.entry(ResourceBound.ACCEPT_BACKLOG, number(CORE + "pipeline.Gateway", "BACKLOG")),
            Map.entry(ResourceBound.ADMIN_CONNECTIONS, (long) AdminConnections.MAX),
            Map.entry(
                ResourceBound.PIPELINED_BYTES,
                number(CORE + "http.RequestDecoder", "READ_AHEAD_BYTES_MAX")),
            Map.entry(
                ResourceBound.REFUSED_BODIES,
                number(CORE + "pipeline.DrainingBodies", "CONNECTIONS_MAX")),
            Map.entry(ResourceBound.UNSENT_BYTES, unsent()),
            Map.entry(
                ResourceBound.ORG_CIRCUITS, number(CORE + "routing.OrgCircuits", "CIRCUITS_MAX")),
            Map.entry(ResourceBound.FETCHES, (long) ImageFetchClient.FETCHES_MAX),
            Map.entry(ResourceBound.FETCHES_OF_ORG, (long) ImageFetchClient.FETCHES_PER_ORG_MAX),
            Map.entry(ResourceBound.MEDIA_URLS, (long) MediaUrl.COUNT_MAX),
            Map.entry(ResourceBound.NAME_LOOK_UPS, (long) PublicAddressResolver.LOOKUPS_MAX),
            Map.entry(ResourceBound.BODY_QUEUE, number(SERVER + "wiring.Server", "BODY_QUEUE_MAX")),
            Map.entry(
                ResourceBound.IDEMPOTENCY_QUEUE,
                number(SERVER + "wiring.Submissions", "QUEUE_MAX")),
            Map.entry(ResourceBound.JOBS_QUEUE, number(SERVER + "wiring.JobModule", "QUEUE_MAX")),
            Map.entry(
                ResourceBound.JOB_QUERIES_QUEUE, number(SERVER + "wiring.JobModule", "QUEUE_MAX")),
            Map.entry(ResourceBound.JOBS_OF_ORG, (long) PostgresJobs.ORG_CALLS_MAX),
            Map.entry(ResourceBound.LEDGER_WAITING, (long) LedgerRules.DEFAULT.waitersMax()),
            Map.entry(
                ResourceBound.JOURNAL_QUEUE,
                number(SERVER + "ledger.JournalOptions", "QUEUED_MAX")),
            Map.entry(
                ResourceBound.JOURNAL_IN_MEMORY,
                number(SERVER + "ledger.JournalOptions", "UNSETTLED_MAX")),
            Map.entry(
                ResourceBound.DOWNLOADS, number(CORE + "exchange.download.Downloads", "OPEN_MAX")),
            Map.entry(
                ResourceBound.DISK_TASKS,
                number(SERVER + "wiring.StorageModule", "DISK_TASKS_MAX")),
            Map.entry(
                ResourceBound.PASSWORD_QUEUE,
                number(SERVER + "account.signin.Passwords", "QUEUE_MAX")),
            Map.entry(
                ResourceBound.WEBHOOKS, number(SERVER + "webhook.WebhookSender", "IN_FLIGHT_MAX")),
            Map.entry(ResourceBound.REQUEST_LOG, number(SERVER + "ops.RequestLog", "WAITING_MAX")),
            Map.entry(ResourceBound.REFUSAL_COUNTS, (long) RefusalCounts.COUNTS_MAX),
            Map.entry(ResourceBound.LOG_RING, number(SERVER + "ops.RingAppender", "SIZE_DEFAULT")),
            Map.entry(ResourceBound.REFUSAL_CACHE, number(CORE + "limit.RefusalCache", "KEYS")),
            Map.entry(
                ResourceBound.REDIS_CALLS, number(SERVER + "redis.RedisConnection", "CALLS_MAX")),
            Map.entry(
                ResourceBound.REDIS_RELEASES,
                number(SERVER + "redis.ReleaseQueue", "WAITING_MAX"))));

    assertThat(acting).containsOnlyKeys(fixed());
    acting.forEach(
        (bound, number) -> assertThat(documented(bound)).as(bound.name()).isEqualTo(number));
  }

  /** Returns the bounds that are numbers and not keys of the configuration. */
  private static Set<ResourceBound> fixed() {
    Set<ResourceBound> fixed = EnumSet.noneOf(ResourceBound.class);
    for (ResourceBound bound : ResourceBound.values()) {
      if (Character.isDigit(bound.limit().charAt(0))) {
        fixed.add(bound);
      }
    }
    return fixed;
  }

  private static Map<ResourceBound, Long> ofKeys() {
    KeyCache.Rules rules = KeyCache.Rules.DEFAULT;
    return Map.of(
        ResourceBound.KEY_LOOK_UPS, (long) rules.lookups().existing(),
        ResourceBound.UNKNOWN_KEY_LOOK_UPS, (long) rules.lookups().unknown(),
        ResourceBound.KEY_LOOK_UP_BUDGETS, (long) rules.callersMax(),
        ResourceBound.KEY_IDS, (long) KeyIds.IDS_MAX,
        ResourceBound.KEY_CACHE, (long) rules.knownMax(),
        ResourceBound.REFUSAL_BUDGETS, (long) RefusalBudgets.KEYS_MAX);
  }

  private static long documented(ResourceBound bound) {
    String limit = bound.limit();
    return limit.endsWith("KiB")
        ? 1024 * Long.parseLong(limit.substring(0, limit.length() - 3))
        : Long.parseLong(limit);
  }

  private static long unsent() throws ReflectiveOperationException {
    return ((WriteBufferWaterMark) constant(CORE + "pipeline.Gateway", "WATER_MARK")).high();
  }

  private static long number(String type, String name) throws ReflectiveOperationException {
    return ((Number) constant(type, name)).longValue();
  }

  private static Object constant(String type, String name) throws ReflectiveOperationException {
    Field field = Class.forName(type).getDeclaredField(name);
    field.setAccessible(true);
    return field.get(null);
  }
}
