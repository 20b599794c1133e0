package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.ModelNames;
import dev.tollgate.core.catalog.ModelNames.AliasRule;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that name {@code acme/one}, {@code acme/two} or {@code other/two} in other words. */
class AskedNamesTest {
  private static Catalog catalog() {
    Catalog two = FallbackModelsTest.catalog(100_000, TestCatalog.provider("alpha"));
    List<Model> models = new ArrayList<>(two.models());
    Model second = models.getLast();
    models.add(
        new Model(
            new ModelId("other", "two"),
            second.modality(),
            second.name(),
            second.description(),
            second.created(),
            second.contextLength(),
            second.outputTokensMax(),
            second.outputTokensReserved(),
            second.imageTokensReserved(),
            second.capabilities(),
            second.prices(),
            second.resume(),
            second.stickyPrefix(),
            second.routes(),
            second.durationAssumed()));
    var names =
        new ModelNames(
            models,
            Map.of(new ModelId("acme", "one"), List.of("gpt-4o")),
            List.of(new AliasRule("gpt-*", new ModelId("acme", "two"))));
    return new Catalog(two.providers(), models, RoutingRules.DEFAULT, names);
  }

  private static String body(String model, String more) {
    return "{\"model\":\"%s\"%s,\"messages\":[{\"role\":\"user\",\"content\":\"Hi.\"}]}"
        .formatted(model, more);
  }

  private static Fault refused(KeyScope scope, String model) {
    try (var scenario = Scenario.of(catalog()).keyScope(scope)) {
      Fault fault = scenario.ask(body(model, "")).fault();
      assertThat(scenario.links()).isZero();
      return fault;
    }
  }

  private static KeyScope models(String... allowed) {
    return new KeyScope(Set.of(allowed), Set.of(), Set.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"acme/one", "gpt-4o", "one"})
  void theIdThatServedIsSaidEverywhere(String name) {
    try (var scenario = Scenario.of(catalog()).keyScope(models("acme/o*"))) {
      RecordedClient client = scenario.ask(body(name, ""));
      assertThat(scenario.link(0).received()).contains("\"model\":\"one-at-alpha\"");
      scenario.link(0).send(OpenAiWire.completion("fine"));
      assertThat(client.whole().body()).contains("\"model\":\"acme/one\"");
      assertThat(client.field("X-LLM-Model")).isEqualTo("acme/one");
      assertThat(scenario.served().model()).hasToString("acme/one");
    }
  }

  @Test
  void fallbackModelsHaveNamesToo() {
    try (var scenario = Scenario.of(catalog())) {
      String more = ",\"routing\":{\"models\":[\"one\",\"gpt-5\"]}";
      RecordedClient client = scenario.ask(body("gpt-4o", more));
      scenario.link(0).send(OpenAiWire.error(404, "model_not_found", "no such model"));
      scenario.link(1).send(OpenAiWire.completion("fine"));
      assertThat(client.field("X-LLM-Model")).isEqualTo("acme/two");

      Fault fault =
          scenario.ask(body("gpt-4o", ",\"routing\":{\"models\":[\"one\",\"three\"]}")).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.MODEL_NOT_FOUND);
      assertThat(fault.param()).isEqualTo("routing.models[1]");
    }
  }

  @Test
  void aNameOfSeveralIsRefusedWithTheirIds() {
    Fault fault = refused(KeyScope.ALL, "two");
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo("model");
    assertThat(fault.details()).containsEntry("candidates", List.of("acme/two", "other/two"));
    assertThat(fault.details()).containsKey("issues");
  }

  @Test
  void aNameOfNoModelIsNotFoundWithTheNearOnes() {
    Fault fault = refused(KeyScope.ALL, "acme/tow");
    assertThat(fault.code()).isEqualTo(ErrorCode.MODEL_NOT_FOUND);
    assertThat(fault.param()).isEqualTo("model");
    assertThat(fault.details()).containsEntry("near", List.of("acme/two", "other/two"));
    assertThat(refused(KeyScope.ALL, "unheard-of").details()).containsEntry("near", List.of());
    Fault inScope = refused(models("acme/*"), "acme/tow");
    assertThat(inScope.code()).isEqualTo(ErrorCode.MODEL_NOT_FOUND);
    assertThat(inScope.details()).containsEntry("near", List.of("acme/two"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gpt-4o", "gpt-5", "one", "acme/one", "unheard-of", "acme/none", "two"})
  void aKeyForOtherModelsLearnsNothing(String name) {
    Fault fault = refused(models("third/*"), name);
    assertThat(fault.code()).isEqualTo(ErrorCode.MODEL_NOT_ALLOWED);
    assertThat(fault.message()).isEqualTo("the key may not use the model " + name);
    assertThat(fault.details()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "/one", "acme/", "acme//one"})
  void noPartOfANameMayBeEmpty(String name) {
    Fault fault = refused(KeyScope.ALL, name);
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo("model");
  }
}
