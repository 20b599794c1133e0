package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.percent;
import static io.gatling.javaapi.core.CoreDsl.randomSwitch;
import static io.gatling.javaapi.core.CoreDsl.substring;
import static io.gatling.javaapi.http.HttpDsl.sse;

import io.gatling.javaapi.core.ActionBuilder;
import io.gatling.javaapi.core.ChainBuilder;
import java.time.Duration;

/**
 * Streams at a steady rate. Most are read as a whole and checked completely; some event by event,
 * which shows the time of the first.
 */
public final class Streams extends LoadSimulation {
  public Streams() {
    load(Pace.usually(20, Duration.ofSeconds(30)), Streams::each)
        .assertions(noneFails(), p99("first event", Duration.ofMillis(200)));
  }

  private static ChainBuilder each(String phase) {
    return randomSwitch()
        .on(
            percent(70).then(exec(Requests.stream(phase + "stream", "load/stream"))),
            percent(30).then(exec(events(phase))));
  }

  /** The head of a stream is sent with its first event and has the same time. */
  private static ActionBuilder events(String phase) {
    return sse(phase + "first event")
        .post(Requests.CHAT)
        .body(Requests.streamed("load/stream"))
        .await(Duration.ofSeconds(10))
        .on(sse.checkMessage(phase + "first token").matching(substring("content")))
        .await(Duration.ofSeconds(20))
        .on(sse.checkMessage(phase + "last event").matching(substring("[DONE]")));
  }
}
