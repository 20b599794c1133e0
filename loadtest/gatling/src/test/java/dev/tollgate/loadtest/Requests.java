package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.StringBody;
import static io.gatling.javaapi.core.CoreDsl.bodyString;
import static io.gatling.javaapi.core.CoreDsl.jsonPath;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

import io.gatling.javaapi.core.Body;
import io.gatling.javaapi.core.CheckBuilder;
import io.gatling.javaapi.http.HttpRequestActionBuilder;
import java.util.List;

/** Requests of clients, with the checks of their replies. */
final class Requests {
  static final String CHAT = "/chat/completions";

  /** Reply tokens of most of the models in {@code gateway.yaml}. */
  static final int TOKENS = 64;

  private static final String PROMPT = "Say in a few words what a tollgate is for. ".repeat(8);

  private Requests() {}

  /** Returns a plain chat completion that must be complete and have a cost. */
  static HttpRequestActionBuilder chat(String name, String model) {
    return http(name).post(CHAT).body(plainly(model)).check(answered(TOKENS));
  }

  /** Returns a stream, read to its end, that must be complete and have a cost. */
  static HttpRequestActionBuilder stream(String name, String model) {
    return http(name).post(CHAT).body(streamed(model)).check(streamedWhole(TOKENS));
  }

  static Body plainly(String model) {
    return StringBody(body(model, ""));
  }

  static Body streamed(String model) {
    return StringBody(body(model, "\"stream\":true,"));
  }

  /** Returns a body with these members, each followed by a comma, beside the usual ones. */
  static String body(String model, String members) {
    return """
    {"model":"%s",%s"messages":[{"role":"user","content":"%s"}]}\
    """
        .formatted(model, members, PROMPT);
  }

  static List<CheckBuilder> answered(int tokens) {
    return List.of(
        status().is(200),
        jsonPath("$.choices[0].finish_reason").is("stop"),
        jsonPath("$.usage.completion_tokens").ofInt().is(tokens),
        jsonPath("$.usage.x_llm_cost_micro").ofInt().gt(0));
  }

  static List<CheckBuilder> streamedWhole(int tokens) {
    return List.of(
        status().is(200),
        bodyString()
            .transform(body -> StreamBody.verdict(body, tokens))
            .validate("is whole", (verdict, session) -> StreamBody.orFail(verdict)));
  }
}
