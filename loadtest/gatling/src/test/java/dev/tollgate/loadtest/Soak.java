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
 * Mixed load for a long time, with clients that disconnect at random, before or during the reply.
 * At the end nothing may be in flight, the heap must not have grown, and the ledger must balance.
 */
public final class Soak extends LoadSimulation {
  /** Allowed growth of the live heap between the first quarter of the run and its end. */
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

  /** Reads the live heap after a pause, on another thread because the read blocks. */
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
    return exec(sse(phase + "stream that is left")
            .post(Requests.CHAT)
            .body(Requests.streamed("load/stream")))
        .pause(Duration.ZERO, Duration.ofSeconds(1))
        .exec(sse(phase + "leaving").close());
  }

  /** Cancels a request that takes 3 s; its failure is expected. */
  private static ChainBuilder leavingBefore(String phase) {
    return exec(
        http(phase + "chat that is left")
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
                    "nothing is under way",
                    gateway.adminUrl(),
                    "tollgate_requests_in_flight",
                    requests -> requests.is(0.0)))
            .exec(
                Metrics.look(
                    "no provider is asked",
                    gateway.adminUrl(),
                    "tollgate_upstream_leases\\{.*}",
                    leases -> leases.is(0.0)))
            // These checks block on child processes, which is harmless: the load has ended.
            .exec(dummy("the heap has not grown", 1).withSuccess(session -> heapHasNotGrown()))
            .exec(dummy("the books add up", 1).withSuccess(session -> gateway.booksAddUp())));
  }
}
