package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.doIf;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.jsonPath;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.http.HttpDsl.header;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.CheckBuilder;
import java.time.Duration;
import java.util.List;

/** Refusal by a limit: its error, and the longest advised wait in seconds. */
record Refusal(String by, String code, String scope, String unit, int waitMax) {

  String afterTheWait() {
    return "after the wait for " + by;
  }

  /**
   * Sends a request; if it is refused, the refusal must be right and a second attempt must be
   * served.
   */
  ChainBuilder askAndWait(String model, int tokens) {
    return exec(http("within or beyond " + by)
            .post(Requests.CHAT)
            .body(Requests.plainly(model))
            .check(status().in(200, 429).saveAs("status"))
            .checkIf((response, session) -> response.status().code() == 200)
            .then(Requests.answered(tokens).toArray(CheckBuilder[]::new))
            .checkIf((response, session) -> response.status().code() == 429)
            .then(right().toArray(CheckBuilder[]::new)))
        .exitHereIfFailed()
        .exec(
            doIf(session -> session.getInt("status") == 429)
                .then(
                    pause(session -> Duration.ofSeconds(session.getInt("wait")))
                        .exec(
                            http(afterTheWait())
                                .post(Requests.CHAT)
                                .body(Requests.plainly(model))
                                .check(Requests.answered(tokens)))));
  }

  private List<CheckBuilder> right() {
    return List.of(
        header("Retry-After").transform(Integer::valueOf).saveAs("wait"),
        header("x-should-retry").is("true"),
        jsonPath("$.error.code").is(code),
        jsonPath("$.error.type").is("rate_limit_error"),
        jsonPath("$.error.details.scope").is(scope),
        jsonPath("$.error.details.unit").is(unit),
        jsonPath("$.error.retry_after").ofInt().is(session -> session.getInt("wait")),
        jsonPath("$.error.retry_after").ofInt().gte(1),
        jsonPath("$.error.retry_after").ofInt().lte(waitMax));
  }
}
