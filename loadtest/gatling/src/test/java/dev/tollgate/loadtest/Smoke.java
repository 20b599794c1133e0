package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.jsonPath;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.http.HttpRequestActionBuilder;
import java.time.Duration;

/** Smoke test: one request of each kind, refusals included. */
public final class Smoke extends LoadSimulation {
  public Smoke() {
    load(Pace.usually(2, Duration.ofSeconds(5)), Smoke::each).assertions(noneFails());
  }

  private static ChainBuilder each(String phase) {
    return exec(
        http(phase + "models")
            .get("/models")
            .check(status().is(200), jsonPath("$.data[?(@.id=='load/chat')]").exists()),
        http(phase + "key").get("/key").check(status().is(200)),
        http(phase + "credits").get("/credits").check(status().is(200)),
        Requests.chat(phase + "chat", "load/chat"),
        Requests.stream(phase + "stream", "load/stream"),
        refused(phase + "unknown model", "no/such", 404, "model_not_found"),
        refused(phase + "unknown key", "load/chat", 401, "invalid_api_key")
            .header("Authorization", "Bearer sk-llm-nobody"));
  }

  private static HttpRequestActionBuilder refused(
      String name, String model, int status, String code) {
    return http(name)
        .post(Requests.CHAT)
        .body(Requests.plainly(model))
        .check(
            status().is(status),
            jsonPath("$.error.code").is(code),
            jsonPath("$.error.request_id").exists());
  }
}
