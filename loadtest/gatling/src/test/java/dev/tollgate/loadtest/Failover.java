package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.StringBody;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.feed;
import static io.gatling.javaapi.core.CoreDsl.listFeeder;
import static io.gatling.javaapi.core.CoreDsl.percent;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.header;
import static io.gatling.javaapi.http.HttpDsl.http;

import io.gatling.javaapi.core.Body;
import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.CheckBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Failover from a provider that fails every request, each in another way, to a healthy one. Clients
 * may notice only a delay of at most the timeout of one second.
 */
public final class Failover extends LoadSimulation {
  private static final String MODEL = "load/failover";

  /** Faults of the mock provider before the first content. */
  private static final List<Map<String, Object>> FAULTS =
      List.of(
          fault("500"),
          fault("503"),
          fault("502-html"),
          fault("error-200"),
          fault("wrong-content-type"),
          fault("reset-before-head"),
          fault("close-before-head"),
          fault("not-http"),
          fault("two-lengths"),
          fault("empty"),
          fault("error-first"),
          fault("cut-fin:0"),
          fault("silent"),
          fault("silent-after-head"));

  public Failover() {
    Pace pace = Pace.usually(20, Duration.ofSeconds(30));
    load(
            pace,
            Failover::each,
            once(
                scenario("afterwards")
                    .exec(
                        Metrics.look(
                            "requests that were passed on",
                            gateway.adminUrl(),
                            "tollgate_fallbacks_total\\{from=\"faulty\",.*to=\"healthy\"}",
                            count -> count.gte((double) pace.nearlyAll())))))
        .assertions(
            noneFails(),
            p99("chat", Duration.ofMillis(1500)),
            p99("stream", Duration.ofMillis(1500)));
  }

  private static ChainBuilder each(String phase) {
    return feed(listFeeder(FAULTS).circular())
        .randomSwitch()
        .on(
            percent(50)
                .then(
                    exec(
                        http(phase + "chat")
                            .post(Requests.CHAT)
                            .body(asking(""))
                            .check(Requests.answered(Requests.TOKENS))
                            .check(servedByTheSecond()))),
            percent(50)
                .then(
                    exec(
                        http(phase + "stream")
                            .post(Requests.CHAT)
                            .body(asking("\"stream\":true,"))
                            .check(Requests.streamedWhole(Requests.TOKENS))
                            .check(servedByTheSecond()))));
  }

  private static Body asking(String members) {
    return StringBody(Requests.body(MODEL, members + "\"x_mock\":\"#{fault}\","));
  }

  private static CheckBuilder servedByTheSecond() {
    return header("X-LLM-Routing-Reason")
        .transform(reason -> reason.contains("selected=healthy"))
        .is(true);
  }

  private static Map<String, Object> fault(String name) {
    return Map.of("fault", "fault/" + name);
  }
}
