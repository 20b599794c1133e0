package dev.tollgate.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.chat.ChatRequest;
import dev.tollgate.core.api.completion.CompletionRequest;
import dev.tollgate.core.api.embedding.EmbeddingRequest;
import dev.tollgate.core.api.image.ImageRequest;
import dev.tollgate.core.api.image.ImageUrls;
import dev.tollgate.core.api.image.MediaJobRequest;
import dev.tollgate.core.api.responses.ResponseEventSet;
import dev.tollgate.core.api.responses.ResponsesRequest;
import dev.tollgate.core.api.speech.SpeechRequest;
import dev.tollgate.core.api.speech.TranscriptionRequest;
import dev.tollgate.core.job.JobKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The OpenAPI document agrees with the routes and with the requests that they accept. */
final class OpenApiCommandTest {
  private static final ApiDocument DOCUMENT = ApiDocument.own();
  private static final String FORM = "multipart/form-data; boundary=b";
  private static final Set<String> FILES = Set.of("file", "image", "mask");
  private static final Set<String> IMAGES = Set.of("image", "mask");

  @Test
  void theCommandPrintsTheDocument() {
    var out = new StringWriter();
    int exit = Main.commandLine("openapi").setOut(new PrintWriter(out)).execute("openapi");
    assertThat(exit).isZero();
    assertThat(out).hasToString(OpenApiCommand.document());
  }

  @Test
  void itsSchemasFitTheirSpecification() {
    var meta =
        JsonSchemaFactory.getInstance(VersionFlag.V202012)
            .getSchema(URI.create("https://json-schema.org/draft/2020-12/schema"));
    assertThat(DOCUMENT.schemas()).isNotEmpty();
    DOCUMENT.schemas().forEach(schema -> assertThat(meta.validate(schema)).isEmpty());
  }

  @Test
  void everyReferenceLeadsSomewhere() {
    assertThat(DOCUMENT.root().findValuesAsText("$ref"))
        .isNotEmpty()
        .allMatch(at -> !DOCUMENT.root().at(at.substring(1)).isMissingNode());
  }

  @Test
  void routesAndDocumentMatch() {
    var documented =
        DOCUMENT.operations().stream().map(one -> one.method() + " " + one.path()).toList();
    var routes =
        Arrays.stream(Endpoint.values()).map(one -> one.method() + " " + one.path()).toList();
    assertThat(documented).containsExactlyInAnyOrderElementsOf(routes);
  }

  @Test
  void everyExampleIsValidAndAccepted() {
    for (ApiDocument.Operation operation : DOCUMENT.operations()) {
      for (JsonNode example : operation.examples()) {
        assertThat(operation.request(example)).as(example.toString()).isEmpty();
        assertThat(parsed(operation.path(), example)).isInstanceOf(ParseResult.Valid.class);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "/v1/chat/completions | {'model':'a/b'}",
        "/v1/chat/completions | {'model':'a/b','messages':[]}",
        "/v1/chat/completions | {'model':'a/b','messages':[{'role':'robot','content':'a'}]}",
        "/v1/chat/completions | {'model':'a/b','messages':[{'role':'user','content':'a'}],'n':2}",
        "/v1/completions | {'model':'a/b','prompt':'a','n':2}",
        "/v1/audio/transcriptions | {'model':'a/b'}",
        "/v1/audio/transcriptions | {'model':'a/b','file':'x','response_format':'xml'}",
        "/v1/audio/transcriptions | {'model':'a/b','file':'x','temperature':2}",
        "/v1/embeddings | {'model':'a/b','input':[]}",
        "/v1/audio/speech | {'model':'a/b','input':'','voice':'c'}",
        "/v1/audio/speech | {'model':'a/b','input':'a','voice':{}}",
        "/v1/audio/speech | {'model':'a/b','input':'a','voice':'c','response_format':'midi'}",
        "/v1/audio/speech | {'model':'a/b','input':'a','voice':'c','speed':5}",
        "/v1/images/generations | {'model':'a/b'}",
        "/v1/images/generations | {'model':'a/b','prompt':''}",
        "/v1/images/generations | {'model':'a/b','prompt':'p','n':11}",
        "/v1/images/generations | {'model':'a/b','prompt':'p','n':0}",
        "/v1/images/generations | {'model':'a/b','prompt':'p','size':'1024X1024'}",
        "/v1/images/generations | {'model':'a/b','prompt':'p','quality':'best'}",
        "/v1/images/generations | {'model':'a/b','prompt':'p','response_format':'png'}",
        "/v1/images/generations | {'model':'a/b','prompt':'p','input_images':'x'}",
        "/v1/images/generations | {'model':'a/b','prompt':'p','input_images':['http://a/b']}",
        "/v1/images/edits | {'model':'a/b','prompt':'p'}",
        "/v1/images/edits | {'model':'a/b','prompt':'p','input_images':[]}",
        "/v1/video/generations | {'model':'a/b'}",
        "/v1/video/generations | {'model':'a/b','prompt':'p','duration_seconds':121}",
        "/v1/video/generations | {'model':'a/b','prompt':'p','aspect_ratio':'16/9'}",
        "/v1/video/generations | {'model':'a/b','prompt':'p','webhook_url':'http://a.b/'}",
        "/v1/video/generations | {'model':'a/b','prompt':'p','metadata':{'a':1}}",
        "/v1/music/generations | {'model':'a/b','prompt':'p','duration_seconds':601}",
        "/v1/music/generations | {'model':'a/b','prompt':'p','format':'ogg'}",
        "/v1/music/generations | {'model':'a/b','prompt':'p','max_cost_micro':1.5}",
        "/v1/responses | {'model':'a/b','input':'a','store':true}",
        "/v1/responses | {'model':'a/b','input':'a','tools':[{'type':'web_search'}]}",
        "/v1/responses | {'model':'a/b','input':'a','text':{'format':{'type':'xml'}}}",
        "/v1/responses | {'model':'a/b','input':7}",
      })
  void whatIsRefusedDoesNotFit(String path, String body) throws IOException {
    JsonNode json = new ObjectMapper().readTree(body.replace('\'', '"'));
    assertThat(DOCUMENT.operation(path).request(json)).isNotEmpty();
    assertThat(parsed(path, json)).isInstanceOf(ParseResult.Refused.class);
  }

  private static ParseResult<?> parsed(String path, JsonNode body) {
    byte[] bytes = body.toString().getBytes(UTF_8);
    byte[] form = form(body);
    Endpoint endpoint = Endpoint.match("POST", path).orElseThrow().endpoint();
    return switch (endpoint) {
      case CHAT_COMPLETIONS -> ChatRequest.parse(bytes, bytes.length);
      case COMPLETIONS -> CompletionRequest.parse(bytes, bytes.length);
      case RESPONSES -> ResponsesRequest.parse(bytes, bytes.length, ResponseEventSet.LISTED);
      case EMBEDDINGS -> EmbeddingRequest.parse(bytes, bytes.length);
      case SPEECH -> SpeechRequest.parse(bytes, bytes.length);
      case TRANSCRIPTIONS -> TranscriptionRequest.parse(form, form.length, FORM);
      case IMAGE_EDITS ->
          body.has("image")
              ? ImageRequest.parseEdit(form, form.length, FORM, ImageUrls.GATEWAY)
              : ImageRequest.parseEdit(bytes, bytes.length, "application/json", ImageUrls.GATEWAY);
      case IMAGE_GENERATIONS -> ImageRequest.parse(bytes, bytes.length, ImageUrls.GATEWAY);
      case VIDEO_GENERATIONS -> MediaJobRequest.parse(bytes, bytes.length, JobKind.VIDEO);
      case MUSIC_GENERATIONS -> MediaJobRequest.parse(bytes, bytes.length, JobKind.MUSIC);
      default -> throw new AssertionError(endpoint.name().toLowerCase(Locale.ROOT) + " has none");
    };
  }

  /** Lists are fields with the same name, and the file has a file name. */
  private static byte[] form(JsonNode fields) {
    StringBuilder form = new StringBuilder();
    for (Map.Entry<String, JsonNode> field : fields.properties()) {
      JsonNode value = field.getValue();
      for (JsonNode item : value.isArray() ? value : List.of(value)) {
        boolean isFile = FILES.contains(field.getKey());
        form.append("--b\r\nContent-Disposition: form-data; name=\"").append(field.getKey());
        form.append(isFile ? "\"; filename=\"a" : "").append("\"\r\n\r\n");
        form.append(IMAGES.contains(field.getKey()) ? "GIF89a......" : item.asText());
        form.append("\r\n");
      }
    }
    return form.append("--b--\r\n").toString().getBytes(UTF_8);
  }
}
