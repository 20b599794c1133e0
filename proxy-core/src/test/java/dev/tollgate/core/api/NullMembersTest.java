package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.chat.ChatRequest;
import dev.tollgate.core.api.completion.CompletionRequest;
import dev.tollgate.core.api.embedding.EmbeddingRequest;
import dev.tollgate.core.api.image.ImageRequest;
import dev.tollgate.core.api.image.ImageUrls;
import dev.tollgate.core.api.responses.ResponseEventSet;
import dev.tollgate.core.api.responses.ResponsesRequest;
import dev.tollgate.core.api.speech.SpeechRequest;
import dev.tollgate.core.testkit.Corpora;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A member that is null is as one that is absent, for every optional member of OpenAI's API. */
@Tag("corpus")
class NullMembersTest {
  enum Endpoint {
    CHAT("CreateChatCompletionRequest", "'messages':[{'role':'user','content':'a'}]"),
    COMPLETION("CreateCompletionRequest", "'prompt':'a'"),
    EMBEDDING("CreateEmbeddingRequest", "'input':'a'"),
    SPEECH("CreateSpeechRequest", "'input':'a','voice':'alloy'"),
    IMAGE("CreateImageRequest", "'prompt':'a'"),
    RESPONSES("CreateResponse", "'input':'a'");

    private final String schema;
    private final String required;

    Endpoint(String schema, String required) {
      this.schema = schema;
      this.required = required;
    }

    ParseResult<? extends InferenceRequest> parse(String body) {
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      return switch (this) {
        case CHAT -> ChatRequest.parse(bytes, bytes.length);
        case COMPLETION -> CompletionRequest.parse(bytes, bytes.length);
        case EMBEDDING -> EmbeddingRequest.parse(bytes, bytes.length);
        case SPEECH -> SpeechRequest.parse(bytes, bytes.length);
        case IMAGE -> ImageRequest.parse(bytes, bytes.length, ImageUrls.PROVIDER);
        case RESPONSES -> ResponsesRequest.parse(bytes, bytes.length, ResponseEventSet.LISTED);
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void anOptionalMemberMayBeNull(Endpoint endpoint) {
    List<String> refused = new ArrayList<>();
    Set<String> optional = optional(endpoint);
    for (String name : optional) {
      String body = "{'model':'acme/m1'," + endpoint.required + ",'" + name + "':null}";
      if (endpoint.parse(body.replace('\'', '"')) instanceof ParseResult.Refused<?>) {
        refused.add(name);
      }
    }
    assertThat(optional).hasSizeGreaterThanOrEqualTo(3);
    assertThat(refused).isEmpty();
  }

  /** Returns the members of a schema, except those that are required here. */
  private static Set<String> optional(Endpoint endpoint) {
    JsonNode schemas =
        ClientView.tree(Corpora.text("wire/openapi/openai.trimmed.json"))
            .path("components")
            .path("schemas");
    Set<String> names = new TreeSet<>();
    collect(schemas.path(endpoint.schema), schemas, names);
    names.remove("model");
    names.removeIf(name -> endpoint.required.contains("'" + name + "':"));
    return names;
  }

  private static void collect(JsonNode schema, JsonNode schemas, Set<String> names) {
    String reference = schema.path("$ref").asText();
    if (!reference.isEmpty()) {
      collect(schemas.path(reference.substring(reference.lastIndexOf('/') + 1)), schemas, names);
    }
    schema.path("properties").fieldNames().forEachRemaining(names::add);
    schema.path("allOf").forEach(part -> collect(part, schemas, names));
  }
}
