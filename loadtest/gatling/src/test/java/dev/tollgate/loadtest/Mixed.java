package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.percent;
import static io.gatling.javaapi.core.CoreDsl.randomSwitch;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

import io.gatling.javaapi.core.ChainBuilder;
import java.time.Duration;

/** Plain chat and streams, with the queries that clients send beside them. */
public final class Mixed extends LoadSimulation {
  public Mixed() {
    load(Pace.usually(60, Duration.ofSeconds(30)), Mixed::each)
        .assertions(noneFails(), p99("chat", Duration.ofMillis(100)));
  }

  static ChainBuilder each(String phase) {
    return randomSwitch()
        .on(
            percent(60).then(exec(Requests.chat(phase + "chat", "load/chat"))),
            percent(30).then(exec(Requests.stream(phase + "stream", "load/stream"))),
            percent(5).then(exec(http(phase + "models").get("/models").check(status().is(200)))),
            percent(5).then(exec(http(phase + "key").get("/key").check(status().is(200)))));
  }
}
