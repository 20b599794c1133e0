package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.exec;

import java.time.Duration;

/** Plain chat at a steady rate. */
public final class Chat extends LoadSimulation {
  public Chat() {
    load(
            Pace.usually(100, Duration.ofSeconds(30)),
            phase -> exec(Requests.chat(phase + "chat", "load/chat")))
        .assertions(noneFails(), p99("chat", Duration.ofMillis(100)));
  }
}
