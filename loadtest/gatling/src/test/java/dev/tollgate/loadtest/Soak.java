package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.dummy;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.percent;
import static io.gatling.javaapi.core.CoreDsl.randomSwitch;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.sse;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Mixed load for a long time, with clients that disconnect at random: before or within the
 * response. Afterwards nothing may be in flight, the heap must not have grown, and the ledger must
 * add up.
 */
public final class Soak extends LoadSimulation {
  /** Permitted growth of live heap from a quarter of the time to the end. */
  private static final double GROWTH_MAX = 1.1;

  private static final double GROWTH_MAX_BYTES = 2 * 1024 * 1024;

  private final AtomicReference<OptionalDouble> earlyHeap =
      new AtomicReference<>(OptionalDouble.empty());

  public Soak() {
    Pace pace = Pace.usually(30, Duration.ofMinutes(30));
    Duration warmUp = Knobs.warmUp();
    bounded(
            warmUp.plus(pace.duration()),
            scenario("warm-up")
                .exec(each("warm-up: "))
                .injectOpen(pace.rising(warmUp))
                .andThen(
                    scenario("load").exec(each("")).injectOpen(pace.steady()).andThen(afterwards()),
                    heapNow(pace.duration().dividedBy(4))))
        .assertions(noneFails(), p99("chat", Duration.ofMillis(200)));
  }

  /** The collection blocks, so it runs on another thread. */
  private PopulationBuilder heapNow(Duration after) {
    return once(
        scenario("heap")
            .pause(after)
            .exec(
                session -> {
                  Thread.ofPlatform().daemon().start(() -> earlyHeap.set(gateway.liveHeapBytes()));
                  return session;
                }));
  }

  private boolean heapHasNotGrown() {
    OptionalDouble late = gateway.liveHeapBytes();
    double early = earlyHeap.get().orElse(0);
    return late.isEmpty() || late.getAsDouble() < early * GROWTH_MAX + GROWTH_MAX_BYTES;
  }

  private static ChainBuilder each(String phase) {
    return randomSwitch()
        .on(
            percent(75).then(Mixed.each(phase)),
            percent(15).then(leavingAmid(phase)),
            percent(10).then(leavingBefore(phase)));
  }

  /** Closes a stream of 1.3 s at a random time in its first second. */
  private static ChainBuilder leavingAmid(String phase) {
    return exec(sse(phase + "abandoned stream")
            .post(Requests.CHAT)
            .body(Requests.streamed("load/stream")))
        .pause(Duration.ZERO, Duration.ofSeconds(1))
        .exec(sse(phase + "leaving").close());
  }

  /** Times out while it waits for a response that takes 3 s; the failure is expected. */
  private static ChainBuilder leavingBefore(String phase) {
    return exec(
        http(phase + "abandoned chat")
            .post(Requests.CHAT)
            .body(Requests.plainly("load/slow"))
            .requestTimeout(Duration.ofMillis(200))
            .silent());
  }

  private PopulationBuilder afterwards() {
    return once(
        scenario("afterwards")
            .pause(Duration.ofSeconds(3))
            .exec(
                Metrics.look(
                    "nothing is in flight",
                    gateway.adminUrl(),
                    "tollgate_requests_in_flight",
                    requests -> requests.is(0.0)))
            .exec(
                Metrics.look(
                    "no attempt is in flight",
                    gateway.adminUrl(),
                    "tollgate_upstream_leases\\{.*}",
                    leases -> leases.is(0.0)))
            // These block on processes, which is harmless: the load has ended.
            .exec(dummy("the heap has not grown", 1).withSuccess(session -> heapHasNotGrown()))
            .exec(dummy("the ledger adds up", 1).withSuccess(session -> gateway.ledgerAddsUp())));
  }
}
