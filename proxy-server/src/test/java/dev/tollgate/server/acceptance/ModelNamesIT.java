package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Models by the names that applications already use, and the models of a whole vendor. */
class ModelNamesIT {
  private static final int INVENTED = 1_000;

  private static final GatewayProcess NODE =
      SharedNode.beside(
          ConfigBuilder.empty()
              .mock("mock")
              .provider(
                  "absent",
                  Map.of(
                      "type", "openai",
                      "base_url", "http://127.0.0.1:1/v1",
                      "api_key", "${NO_SUCH_KEY:-}"))
              .model("absent/chat", "absent", "chat")
              .model("openai/*", Map.of("routes", List.of(route("mock", "*/asked"))))
              .model(
                  "test/fast",
                  Map.of(
                      "modality",
                      "chat",
                      "price",
                      ConfigBuilder.PRICE,
                      "aliases",
                      List.of("fast", "gpt-3.5-turbo"),
                      "routes",
                      List.of(route("mock", "mock-chat"))))
              .list(
                  "model_aliases",
                  List.of(
                      Map.of("match", "gpt-4o-20*", "model", "openai/gpt-4o"),
                      Map.of("match", "gpt-4o-*", "model", "openai/gpt-4o-mini"))),
          List.of());

  private static Map<String, String> route(String provider, String model) {
    return Map.of("provider", provider, "model", model);
  }

  @AfterAll
  static void stop() {
    NODE.close();
  }

  private static RawResponse ask(RawClient client, String model) {
    String body =
        ChatRequests.body(model, false)
            .replace("\"stream\"", "\"x_mock\":\"mock-chat\",\"stream\"");
    return client.post(ChatRequests.PATH, body, SharedNode.authorization()).readResponse();
  }

  private static JsonNode get(RawClient client, String path) {
    return Json.tree(client.get(path, SharedNode.authorization()).readResponse().text());
  }

  @Test
  void anApplicationKeepsItsNames() {
    Map<String, String> served =
        Map.of(
            "openai/gpt-4o", "openai/gpt-4o",
            "gpt-4o", "openai/gpt-4o",
            "gpt-4o-2024-11-20", "openai/gpt-4o",
            "gpt-4o-mini-2024-07-18", "openai/gpt-4o-mini",
            "gpt-3.5-turbo", "test/fast");
    try (RawClient client = NODE.connect()) {
      served.forEach(
          (name, id) -> {
            RawResponse response = ask(client, name);
            assertThat(response.status()).as(response.text()).isEqualTo(200);
            assertThat(response.header("x-llm-model")).isEqualTo(id);
            assertThat(Json.tree(response.text()).path("model").asText()).isEqualTo(id);
          });
      RawResponse unknown = ask(client, "gpt4o");
      assertThat(unknown.status()).isEqualTo(404);
      assertThat(Json.tree(unknown.text()).at("/error/code").asText()).isEqualTo("model_not_found");
      assertThat(Json.tree(unknown.text()).at("/error/details/near").path(0).asText())
          .isEqualTo("openai/gpt-4o");
      assertThat(ask(client, "absent/chat").status()).isEqualTo(404);
      assertThat(get(client, "/v1/v1/models").at("/error/details/path").asText())
          .isEqualTo("/v1/models");
    }
  }

  @Test
  void theListHasTheModelsOfTheVendorAndNoneThatIsNotConfigured() {
    try (RawClient client = NODE.connect()) {
      List<String> ids = new ArrayList<>();
      JsonNode list = get(client, "/v1/models");
      list.path("data").forEach(model -> ids.add(model.path("id").asText()));
      assertThat(ids)
          .hasSizeGreaterThan(30)
          .contains("test/fast", "openai/gpt-4o", "openai/whisper-1")
          .doesNotContain("absent/chat", "openai/*", "fast");
      JsonNode fast = get(client, "/v1/models/test/fast");
      assertThat(fast.path("aliases")).hasToString("[\"fast\",\"gpt-3.5-turbo\"]");
      assertThat(get(client, "/v1/models/fast")).isEqualTo(fast);
      JsonNode gpt = get(client, "/v1/models/gpt-4o");
      assertThat(gpt.at("/pricing_micro/prompt").asLong()).isEqualTo(2_500_000);
      assertThat(gpt.path("providers")).hasToString("[\"mock\"]");
    }
  }

  @Test
  void inventedNamesLeaveNothingBehind() {
    try (RawClient client = NODE.connect()) {
      assertThat(ask(client, "openai/gpt-4o").status()).isEqualTo(200);
      assertThat(ask(client, "openai/invented").status()).isEqualTo(404);
      Set<String> before = NODE.admin().metrics().keySet();
      assertThat(before).anyMatch(name -> name.contains("openai/gpt-4o"));
      for (int i = 0; i < INVENTED; i++) {
        assertThat(ask(client, "openai/invented-" + i).status()).isEqualTo(404);
      }
      Set<String> added = new HashSet<>(NODE.admin().metrics().keySet());
      added.removeAll(before);
      assertThat(added).noneMatch(name -> name.contains("model=") || name.contains("invented"));
      assertThat(before).noneMatch(name -> name.contains("invented"));
    }
  }
}
