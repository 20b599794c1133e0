package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.asLongAs;
import static io.gatling.javaapi.core.CoreDsl.details;
import static io.gatling.javaapi.core.CoreDsl.dummy;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.rampUsers;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import io.gatling.javaapi.core.OpenInjectionStep;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Session;
import java.time.Duration;

/**
 * Clients that read long streams slowly beside clients that chat. Slow clients must get the whole
 * stream, the others must not be delayed, and the gateway must not buffer unread data.
 */
public final class SlowReaders extends LoadSimulation {
  private static final int READERS = Integer.getInteger("loadtest.readers", 20);

  /** About 12 MB, because socket buffers take 4 to 6 MB and hide a slow reader. */
  private static final int TOKENS = 50_000;

  private static final int READ_BYTES = 32 * 1024;
  private static final Duration BETWEEN_READS = Duration.ofMillis(100);
  private static final String MODEL = "load/long";

  public SlowReaders() {
    Pace pace = Pace.usually(20, Duration.ofSeconds(40));
    Duration warmUp = Knobs.warmUp();
    bounded(
            warmUp.plus(pace.duration()).plusSeconds(60),
            chat("warm-up: chat", pace.rising(warmUp))
                .andThen(slow(), chat("chat", pace.steady()), memory()))
        .assertions(
            noneFails(),
            p99("chat", Duration.ofMillis(100)),
            details("slow stream").successfulRequests().count().is((long) READERS));
  }

  private PopulationBuilder slow() {
    return scenario("slow readers")
        .exec(this::ask)
        .exec(
            asLongAs(session -> !client(session).ended())
                .on(
                    exec(session -> session.set("client", client(session).read(READ_BYTES)))
                        .pause(BETWEEN_READS)))
        .exec(
            dummy("slow stream", session -> client(session).elapsedMillis())
                .withSuccess(session -> client(session).verdict(TOKENS).equals(StreamBody.WHOLE)))
        .injectOpen(rampUsers(READERS).during(Duration.ofSeconds(3)));
  }

  private Session ask(Session session) {
    return session.set("client", SlowClient.ask(gateway, Requests.body(MODEL, "\"stream\":true,")));
  }

  private static SlowClient client(Session session) {
    return session.get("client");
  }

  private static PopulationBuilder chat(String name, OpenInjectionStep arrivals) {
    return scenario(name).exec(Requests.chat(name, "load/chat")).injectOpen(arrivals);
  }

  /**
   * Checks in the middle of the streams that the gateway holds less than 64 KiB for each, beside
   * its usual memory.
   */
  private PopulationBuilder memory() {
    double bytesMax = 16 * 1024 * 1024 + READERS * 64.0 * 1024;
    return once(
        scenario("memory")
            .pause(Duration.ofSeconds(10))
            .exec(
                Metrics.look(
                    "streams that wait for slow readers",
                    gateway.adminUrl(),
                    "tollgate_requests_in_flight",
                    requests -> requests.gte((double) READERS)))
            .exec(
                Metrics.look(
                    "buffers",
                    gateway.adminUrl(),
                    "tollgate_buffer_bytes\\{.*}",
                    bytes -> bytes.lte(bytesMax))));
  }
}
