package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.cli.ApiDocument;
import dev.tollgate.server.cli.ApiDocument.Operation;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Check of all API responses that tests receive against the OpenAPI document. */
final class ApiConformance {
  private static final ApiDocument DOCUMENT = ApiDocument.own();
  private static final String JSON = "application/json";
  private static final String EVENTS = "text/event-stream";
  private static final String DATA = "data: ";

  private ApiConformance() {}

  /** Fails if the document describes this target, but not this response. */
  static void require(String target, RawResponse response) {
    String path = target.split("\\?", 2)[0];
    String type = type(response);
    if (response.status() >= 400 && type.equals(JSON) && path.startsWith("/v1/")) {
      requireNone(DOCUMENT.error(Json.tree(response.text())), response.text());
    }
    Optional<Operation> operation = DOCUMENT.at(path);
    if (response.status() == 200 && operation.isPresent()) {
      answered(operation.get(), type, response);
    }
  }

  private static void answered(Operation operation, String type, RawResponse response) {
    if (type.equals(JSON)) {
      JsonNode answer = Json.tree(response.text());
      requireNone(operation.answer(JSON, answer), response.text());
    } else if (type.equals(EVENTS)) {
      response.events().stream()
          .filter(event -> event.startsWith(DATA) && !event.endsWith("[DONE]"))
          .map(event -> event.substring(DATA.length()))
          .forEach(event -> requireNone(operation.answer(EVENTS, Json.tree(event)), event));
    }
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
}
