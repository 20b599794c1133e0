package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.ObjectKind;
import dev.tollgate.core.testkit.OpenAiDeviations;
import dev.tollgate.core.testkit.OpenAiDeviations.Author;
import dev.tollgate.core.testkit.OpenAiDeviations.Source;
import dev.tollgate.core.testkit.OpenAiDocument;
import dev.tollgate.core.testkit.OpenAiDocument.Deviation;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.cli.ApiDocument;
import dev.tollgate.server.cli.ApiDocument.Operation;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Check of all API responses that tests receive against the OpenAPI document, and against OpenAI's
 * own where the shared corpora are there.
 */
final class ApiConformance {
  private static final ApiDocument DOCUMENT = ApiDocument.own();
  private static final Optional<OpenAiDeviations> DEVIATIONS =
      OpenAiDocument.sharedIfPresent().map(OpenAiDeviations::new);
  private static final String JSON = "application/json";
  private static final String EVENTS = "text/event-stream";
  private static final String DATA = "data: ";

  /** Codes of the control plane, which the API never answers with. */
  private static final Set<String> CODES_OF_CONTROL =
      Set.of(
          "invalid_credentials",
          "unauthenticated",
          "account_disabled",
          "csrf_failed",
          "email_not_verified",
          "forbidden",
          "conflict",
          "max_api_keys_reached");

  private ApiConformance() {}

  /** Fails if the document describes this target, but not this response. */
  static void require(String target, RawResponse response) {
    String path = target.split("\\?", 2)[0];
    String type = type(response);
    if (response.status() >= 400 && type.equals(JSON) && path.startsWith("/v1/")) {
      JsonNode answer = Json.tree(response.text());
      requireNone(DOCUMENT.error(answer), response.text());
      assertThat(CODES_OF_CONTROL).doesNotContain(answer.at("/error/code").asText());
      requireListed(ObjectKind.reply(path, answer), answer);
    }
    Optional<Operation> operation = DOCUMENT.at(path);
    if (response.status() == 200 && operation.isPresent()) {
      answered(path, operation.get(), type, response);
    }
  }

  private static void answered(
      String path, Operation operation, String type, RawResponse response) {
    if (type.equals(JSON)) {
      JsonNode answer = Json.tree(response.text());
      requireNone(operation.answer(JSON, answer), response.text());
      requireListed(ObjectKind.reply(path, answer), answer);
    } else if (type.equals(EVENTS)) {
      response.events().stream()
          .filter(event -> event.startsWith(DATA) && !event.endsWith("[DONE]"))
          .map(event -> event.substring(DATA.length()))
          .forEach(event -> event(path, operation, event));
    }
  }

  private static void event(String path, Operation operation, String event) {
    JsonNode answer = Json.tree(event);
    requireNone(operation.answer(EVENTS, answer), event);
    requireListed(ObjectKind.event(path, answer), answer);
  }

  private static String type(RawResponse response) {
    List<String> types = response.headers("content-type");
    return types.isEmpty()
        ? ""
        : types.getFirst().split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
  }

  private static void requireNone(List<String> complaints, String answer) {
    assertThat(complaints).as("the API's document of %s", answer).isEmpty();
  }

  /** Fails if an object differs from OpenAI's document in another way than the list says. */
  private static void requireListed(Optional<ObjectKind> kind, JsonNode answer) {
    if (kind.isPresent() && DEVIATIONS.isPresent()) {
      assertThat(DEVIATIONS.get().compare(kind.get(), answer, Author.PROVIDER))
          .as("deviations from OpenAI's document that are not in the list, of %s", answer)
          .isEmpty();
    }
  }

  /** Returns the deviations in the list that no response had, of those that the program has. */
  static Set<Deviation> gone() {
    return DEVIATIONS.orElseThrow().gone(Source.PROGRAM);
  }
}
