package dev.tollgate.server.control.route;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.server.account.AuditAction;
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
  void bookingCreditIsCreatedOrFound() {
    JsonNode replies =
        DOCUMENT.path("paths").path(Route.CREDITS_BOOK.spec().template()).at("/post/responses");
    assertThat(replies.at("/201/content")).isEqualTo(replies.at("/200/content")).isNotEmpty();
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

  /** Sets are read off the enums, so a new constant is described at once. */
  @Test
  void closedSetsAreNamedAndHaveTheConstantsOfTheirEnums() {
    assertThat(set("Role")).containsExactly("viewer", "developer", "billing", "admin", "owner");
    assertThat(set("AuditAction"))
        .hasSize(AuditAction.values().length)
        .contains("key.create", "session.sign_in_failed");
    assertThat(set("KeyViewState")).containsExactly("active", "disabled", "expired", "revoked");
    assertThat(set("RequestListingRowOutcome"))
        .hasSize(RequestOutcome.values().length + 2)
        .contains("client_abort", "crash");
    assertThat(DOCUMENT.at("/components/schemas/MemberView/properties/role/$ref").asText())
        .isEqualTo("#/components/schemas/Role");
    assertThat(
            DOCUMENT
                .at("/components/schemas/SessionViewMembershipView/properties/permissions")
                .toString())
        .isEqualTo("{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Permission\"}}");
    assertThat(DOCUMENT.at("/components/schemas/Error").findValuesAsText("$ref"))
        .containsExactly(
            "#/components/schemas/ErrorType",
            "#/components/schemas/ErrorCode",
            "#/components/schemas/RefusalReason");
  }

  private static List<String> set(String name) {
    List<String> texts = new ArrayList<>();
    DOCUMENT.at("/components/schemas/" + name + "/enum").forEach(each -> texts.add(each.asText()));
    return texts;
  }

  @Test
  void modelsAreTyped() {
    JsonNode model = DOCUMENT.at("/components/schemas/ModelHandlersModelView/properties");
    assertThat(model.at("/modality/$ref").asText()).isEqualTo("#/components/schemas/Modality");
    assertThat(model.at("/requests_24h/type").asText()).isEqualTo("integer");
    assertThat(model.at("/capabilities/additionalProperties/type").asText()).isEqualTo("boolean");
    assertThat(model.at("/routes/items/$ref").asText())
        .isEqualTo("#/components/schemas/ModelHandlersRouteView");
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
    assertThat(meta.at("/properties/password/$ref").textValue())
        .isEqualTo("#/components/schemas/MetaPasswordRule");
    assertThat(meta.at("/properties/setup_required/type").textValue()).isEqualTo("boolean");
    assertThat(meta.at("/additionalProperties").booleanValue()).isFalse();
  }
}
