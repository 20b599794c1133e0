package dev.tollgate.core.dialect.gemini;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.sse.SseSink;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Translation of events that no recording of Gemini has. */
class GeminiStreamTest {
  private final List<String> names = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private final SseSink stream =
      Dialects.named("gemini").translation().orElseThrow().stream(
          new SseSink() {
            @Override
            public void event(String name, byte[] data, int from, int to) {
              names.add(name);
              events.add(new String(data, from, to - from, UTF_8));
            }

            @Override
            public void comment() {}

            @Override
            public void oversized(int eventBytesMax) {}
          });

  private void send(String... all) {
    for (String one : all) {
      byte[] json = one.replace('\'', '"').getBytes(UTF_8);
      stream.event("message", json, 0, json.length);
    }
  }

  private JsonNode chunk(int i) throws Exception {
    return new ObjectMapper().readTree(events.get(i));
  }

  private JsonNode delta(int i) throws Exception {
    return chunk(i).path("choices").path(0).path("delta");
  }

  private static String parts(String parts, String rest) {
    return "{'candidates':[{'content':{'parts':["
        + parts
        + "],'role':'model'}"
        + rest
        + "}],"
        + "'usageMetadata':{'promptTokenCount':3,'candidatesTokenCount':2},'modelVersion':'m',"
        + "'responseId':'r'}";
  }

  @Test
  void eachPartIsAChunkAndTheUsageComesWithTheLast() throws Exception {
    send(
        parts(
            "{'text':'T','thought':true},{'text':'A','thoughtSignature':'S'},{'text':''},"
                + "{'executableCode':{'code':'x'}},"
                + "{'inlineData':{'mimeType':'image/png','data':'AA'}}",
            ""));
    assertThat(events).hasSize(3);
    assertThat(delta(0).path("reasoning_content").asText()).isEqualTo("T");
    assertThat(chunk(0).has("usage")).isFalse();
    assertThat(delta(1).path("content").asText()).isEqualTo("A");
    assertThat(delta(1).path("extra_content").path("google").path("thought_signature").asText())
        .isEqualTo("S");
    assertThat(delta(2).path("images").path(0).path("image_url").path("url").asText())
        .isEqualTo("data:image/png;base64,AA");
    JsonNode soFar = chunk(2).path(InterimUsage.MEMBER);
    assertThat(soFar).hasToString("{\"promptTokenCount\":3,\"candidatesTokenCount\":2}");
    String canonical = new String(InterimUsage.canonical(soFar.toString().getBytes(UTF_8)), UTF_8);
    assertThat(new ObjectMapper().readTree(canonical).path("total_tokens").asInt()).isEqualTo(5);
    assertThat(chunk(2).path("id").asText()).isEqualTo("r");
    assertThat(chunk(2).path("model").asText()).isEqualTo("m");
  }

  @Test
  void callsAreNumberedAndNamedAndTurnTheFinish() throws Exception {
    send(
        parts("{'functionCall':{'name':'f','args':{'a':'\\u00e9'}},'thoughtSignature':'S'}", ""),
        parts("{'functionCall':{'id':'own','name':'g'}}", ",'finishReason':'STOP'"));
    JsonNode first = delta(0).path("tool_calls").path(0);
    assertThat(first.path("id").asText()).isEqualTo("call_r_0");
    assertThat(first.path("extra_content").path("google").path("thought_signature").asText())
        .isEqualTo("S");
    assertThat(new ObjectMapper().readTree(first.path("function").path("arguments").asText()))
        .isEqualTo(new ObjectMapper().readTree("{\"a\":\"é\"}"));
    JsonNode second = delta(1).path("tool_calls").path(0);
    assertThat(second.path("index").asInt()).isEqualTo(1);
    assertThat(second.path("id").asText()).isEqualTo("own");
    assertThat(second.path("function").path("arguments").asText()).isEqualTo("{}");
    assertThat(chunk(2).path("choices").path(0).path("finish_reason").asText())
        .isEqualTo("tool_calls");
  }

  @ParameterizedTest
  @CsvSource({
    "'STOP', stop",
    "1, stop",
    "2, length",
    "3, content_filter",
    "'FAKE_ENUM', stop",
    "'MALFORMED_FUNCTION_CALL', error",
    "'PROHIBITED_CONTENT', content_filter"
  })
  void everyReasonIsOneThatClientsKnow(String reason, String expected) throws Exception {
    String own = reason.matches("\\d") ? reason : "'" + reason + "'";
    send(parts("", ",'finishReason':" + own));
    assertThat(chunk(0).path("choices").path(0).path("finish_reason").asText()).isEqualTo(expected);
  }

  @Test
  void anErrorInsideIsHandedOnAsItCame() {
    String error =
        "{'error':{'code':503,'message':'The model is overloaded.','status':'UNAVAILABLE'}}";
    send(parts("{'text':'a'}", ""), error);
    assertThat(names).containsExactly("message", "error");
    byte[] json = events.get(1).getBytes(UTF_8);
    UpstreamFailure failure = Dialects.named("gemini").failureInside(json, 0, json.length);
    assertThat(failure.kind()).isEqualTo(Kind.SERVER_ERROR);
    assertThat(failure.providerCode()).isEqualTo("UNAVAILABLE");
  }

  @Test
  void whatIsNoEventIsUnreadableAndOneWithoutContentIsNot() throws Exception {
    send(
        "{'usageMetadata':{'trafficType':'ON_DEMAND'}}",
        "[]",
        "{'a':1}",
        "{'usageMetadata':{'promptTokenCount':3,'totalTokenCount':3}}",
        "{'candidates':[{'index':0}],'usageMetadata':{'promptTokenCount':4}}");
    assertThat(events).hasSize(5);
    assertThat(events.subList(0, 3)).containsExactly("{}", "null", "{}");
    assertThat(chunk(3).path("usage").path("prompt_tokens").asInt()).isEqualTo(3);
    assertThat(chunk(4).path("usage").path("prompt_tokens").asInt()).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'candidates':[{'index':-1,'content':{'parts':[{'text':'a'}]}}]}",
        "{'candidates':[{'content':{},'content':{'parts':[{'text':'a'}]}}]}",
        "{'candidates':[],'candidates':[{'content':{'parts':[{'text':'a'}]}}]}",
        "{'candidates':[{'content':{'parts':[{'text':'a','text':'b'}]}}]}"
      })
  void contentThatOnlyOneOfTwoReadersWouldFindIsUnreadable(String event) {
    send(event);
    assertThat(events).containsExactly("null");
  }

  private static String reply(String body) {
    byte[] json = body.replace('\'', '"').getBytes(UTF_8);
    TranslatedReply reply = GeminiReply.translated(json, json.length);
    return new String(reply.bytes(), 0, reply.length(), UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"promptFeedback\":{}}",
        "{\"candidates\":[{\"index\":0}],\"promptFeedback\":{}}",
        "{\"candidates\":[{\"content\":null}]}",
        "{\"candidates\":[]}"
      })
  void aWholeAnswerThatSaysNothingIsNone(String body) {
    assertThat(reply(body)).isEqualTo(body);
  }

  /** The repair of calls gives them ids of the gateway's own reply, which no two replies share. */
  @Test
  void callsOfAnAnswerWithoutAnIdHaveNone() throws Exception {
    String answer =
        reply(
            "{'candidates':[{'content':{'parts':[{'functionCall':{'name':'f'}}]},"
                + "'finishReason':'STOP'}]}");
    JsonNode call = new ObjectMapper().readTree(answer).at("/choices/0/message/tool_calls/0");
    assertThat(call.at("/function/name").asText()).isEqualTo("f");
    assertThat(call.has("id")).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "400 | INVALID_ARGUMENT | The input token count (1250074) exceeds the maximum | CONTEXT_TOO_LONG",
        "400 | INVALID_ARGUMENT | Request payload size exceeds the limit: 20971520 bytes. | TOO_LARGE",
        "400 | FAILED_PRECONDITION | User location is not supported for the API use. | CREDENTIAL_REFUSED",
        "400 | INVALID_ARGUMENT | Invalid value at 'x' | REJECTED",
        "400 | FAILED_PRECONDITION | Gemini API free tier is not available in your country. Please enable billing | CREDENTIAL_REFUSED",
        "400 | FAILED_PRECONDITION | The File f is not in an ACTIVE state and usage is not allowed. | REJECTED",
        "403 | PERMISSION_DENIED | no | CREDENTIAL_REFUSED",
        "403 | PERMISSION_DENIED | You do not have permission to access the File nope or it may not exist. | REJECTED",
        "403 | PERMISSION_DENIED | Permission denied while accessing input file: x | REJECTED",
        "403 | PERMISSION_DENIED | CachedContent not found (or permission denied) | REJECTED",
        "404 | NOT_FOUND | models/x is not found | MODEL_MISSING",
        "429 | RESOURCE_EXHAUSTED | quota | RATE_LIMITED",
        "499 | CANCELLED | no | SERVER_ERROR",
        "500 | INTERNAL | no | SERVER_ERROR",
        "503 | UNAVAILABLE | The model is overloaded. | SERVER_ERROR"
      },
      quoteCharacter = '~')
  void aRefusalIsOfItsClass(int status, String code, String message, Kind kind) {
    String body =
        "[{\"error\":{\"code\":%d,\"message\":\"%s\",\"status\":\"%s\"}}]"
            .formatted(status, message, code);
    byte[] json = body.getBytes(UTF_8);
    UpstreamFailure failure =
        Dialects.named("gemini")
            .failure(status, dev.tollgate.core.http.Headers.of(), json, json.length);
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure.message()).isEqualTo(message);
    assertThat(failure.providerCode()).isEqualTo(code);
    assertThat(Dialects.named("gemini").failureInside(json, 0, json.length).kind()).isEqualTo(kind);
  }
}
