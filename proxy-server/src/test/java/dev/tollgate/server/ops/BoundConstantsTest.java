package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fetch.Fetcher;
import dev.tollgate.core.fetch.PublicAddressResolver;
import dev.tollgate.core.ledger.LedgerRules;
import dev.tollgate.core.tenant.KeyCache;
import dev.tollgate.server.postgres.PostgresJobs;
import io.netty.channel.WriteBufferWaterMark;
import java.lang.reflect.Field;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the table of bounds says of those that are fixed is what the classes keep to. */
final class BoundConstantsTest {
  private static final String CORE = "dev.tollgate.core.";
  private static final String SERVER = "dev.tollgate.server.";

  @Test
  void everyFixedBoundIsTheConstantThatActs() throws Exception {
    Map<Bound, Long> acting =
        Map.ofEntries(
            Map.entry(Bound.ACCEPT_BACKLOG, number(CORE + "pipeline.Gateway", "BACKLOG")),
            Map.entry(
                Bound.PIPELINED_BYTES, number(CORE + "http.RequestDecoder", "AHEAD_BYTES_MAX")),
            Map.entry(Bound.REFUSED_BODIES, number(CORE + "pipeline.RefusedBodies", "PLACES")),
            Map.entry(Bound.UNSENT_BYTES, unsent()),
            Map.entry(Bound.FETCHES, (long) Fetcher.FETCHES_MAX),
            Map.entry(Bound.FETCHES_OF_ORG, (long) Fetcher.OF_ORG_MAX),
            Map.entry(Bound.NAME_LOOK_UPS, (long) PublicAddressResolver.LOOK_UPS_MAX),
            Map.entry(Bound.KEY_LOOK_UPS, (long) KeyCache.Rules.DEFAULT.lookUpsMax()),
            Map.entry(Bound.KEY_CACHE, (long) KeyCache.Rules.DEFAULT.knownMax()),
            Map.entry(Bound.IDEMPOTENCY_QUEUE, number(SERVER + "wiring.Submissions", "QUEUE_MAX")),
            Map.entry(Bound.JOBS_QUEUE, number(SERVER + "wiring.MediaDesk", "QUEUE_MAX")),
            Map.entry(Bound.JOB_LOOKS_QUEUE, number(SERVER + "wiring.MediaDesk", "QUEUE_MAX")),
            Map.entry(Bound.JOBS_OF_ORG, (long) PostgresJobs.ORG_ASKS_MAX),
            Map.entry(Bound.LEDGER_WAITING, (long) LedgerRules.DEFAULT.waitersMax()),
            Map.entry(Bound.JOURNAL_QUEUE, number(SERVER + "ledger.JournalOptions", "QUEUED_MAX")),
            Map.entry(
                Bound.JOURNAL_IN_MEMORY, number(SERVER + "ledger.JournalOptions", "UNBOOKED_MAX")),
            Map.entry(Bound.DOWNLOADS, number(CORE + "exchange.Downloads", "OPEN_MAX")),
            Map.entry(Bound.DISK_TASKS, number(SERVER + "wiring.Storage", "DISK_TASKS_MAX")),
            Map.entry(Bound.WEBHOOKS, number(SERVER + "webhook.Sender", "PLACES")),
            Map.entry(Bound.REQUEST_LOG, number(SERVER + "ops.RequestLog", "WAITING_MAX")),
            Map.entry(Bound.LOG_RING, number(SERVER + "ops.RingAppender", "SIZE_DEFAULT")),
            Map.entry(Bound.REFUSAL_CACHE, number(CORE + "limit.RefusalCache", "KEYS")),
            Map.entry(Bound.REDIS_CALLS, number(SERVER + "redis.Link", "CALLS_MAX")),
            Map.entry(Bound.REDIS_ENDS, number(SERVER + "redis.Ends", "WAITING_MAX")));

    Set<Bound> fixed = EnumSet.noneOf(Bound.class);
    for (Bound bound : Bound.values()) {
      if (Character.isDigit(bound.limit().charAt(0))) {
        fixed.add(bound);
      }
    }
    assertThat(acting).containsOnlyKeys(fixed);
    acting.forEach(
        (bound, number) -> assertThat(documented(bound)).as(bound.name()).isEqualTo(number));
  }

  private static long documented(Bound bound) {
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
