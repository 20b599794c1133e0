package dev.tollgate.server.control.route;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.server.control.route.RouteSpec.Audience;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The API description: every route is in it, and every reference leads somewhere. */
final class OpenApiTest {
  private static final JsonNode DOCUMENT = OpenApi.DOCUMENT;

  @Test
  void everyRouteIsInItAndNothingElse() {
    List<String> described = new ArrayList<>();
    DOCUMENT
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .fieldNames()
                    .forEachRemaining(
                        method ->
                            described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
    assertThat(described)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Route.values())
                .map(Route::spec)
                .filter(spec -> spec.audience() != Audience.FILES)
                .map(RouteSpec::label)
                .toList());
  }

  @Test
  void everyReferenceLeadsSomewhere() {
    List<JsonNode> references = DOCUMENT.findValues("$ref");
    assertThat(references).isNotEmpty();
    for (JsonNode reference : references) {
      assertThat(DOCUMENT.at(reference.textValue().substring(1)).isObject())
          .as(reference.textValue())
          .isTrue();
    }
  }

  @Test
  void theSchemaOfARecordIsThatOfItsJson() {
    JsonNode meta = DOCUMENT.at("/components/schemas/Meta");
    JsonNode written =
        ControlJson.tree(
            new Meta("T", true, "open", false, List.of(), new Meta.PasswordRule(1, 2), "u"));
    List<String> required = new ArrayList<>();
    meta.path("required").forEach(name -> required.add(name.textValue()));
    List<String> members = new ArrayList<>();
    written.fieldNames().forEachRemaining(members::add);
    assertThat(members).isEqualTo(required);
    assertThat(meta.at("/properties/setup_required/type").textValue()).isEqualTo("boolean");
    assertThat(meta.at("/additionalProperties").booleanValue()).isFalse();
  }
}
