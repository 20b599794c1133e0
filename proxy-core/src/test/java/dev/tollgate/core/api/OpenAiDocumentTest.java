package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.responses.ResponseEventSet;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.exchange.frame.ErrorEnvelope;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.testkit.ObjectKind;
import dev.tollgate.core.testkit.OpenAiDeviations;
import dev.tollgate.core.testkit.OpenAiDeviations.Author;
import dev.tollgate.core.testkit.OpenAiDeviations.Source;
import dev.tollgate.core.testkit.OpenAiDocument;
import dev.tollgate.core.testkit.OpenAiDocument.Deviation;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every recorded reply of every dialect, answered as each endpoint does that can: what the client
 * gets is what OpenAI's document says, but for the deviations in the list, all of which occur.
 */
@Tag("corpus")
class OpenAiDocumentTest {
  private static final long BUDGET_BYTES = 64 << 20;
  private static final int TRIES_MAX = 3;
  private static final int EVENT_BYTES_MAX = 8 << 20;

  /** Kinds that no recording has: tests of the program compare them. */
  private static final EnumSet<ObjectKind> NOT_RECORDED =
      EnumSet.of(
          ObjectKind.SPEECH_EVENT,
          ObjectKind.VERBOSE_TRANSCRIPT,
          ObjectKind.MODELS,
          ObjectKind.MODEL);

  /** Dialect of each family of recorded chats. */
  private static final Map<String, String> CHATS =
      Map.of(
          "openai-chat", "openai",
          "anthropic-messages", "anthropic",
          "bedrock-converse", "bedrock",
          "gemini", "gemini",
          "cohere-v2-chat", "cohere",
          "bedrock-invoke", "bedrock",
          "ollama-native", "ollama");

  private final OpenAiDeviations deviations = new OpenAiDeviations(OpenAiDocument.shared());
  private final Map<Deviation, String> unlisted = new TreeMap<>();
  private final Map<ObjectKind, Integer> objects = new EnumMap<>(ObjectKind.class);

  @Test
  void allThatTheRecordingsBecomeIsAsOpenAiDocumentsIt() {
    CHATS.forEach((family, dialect) -> WireCase.family(family).forEach(one -> chat(one, dialect)));
    WireCase.family("error").forEach(one -> chat(one, dialectOf(one)));
    WireCase.family("openai-completions").forEach(this::completion);
    WireCase.family("openai-embeddings").forEach(one -> embedding(one, "openai"));
    vectors("other", "cohere/embed--", "cohere");
    vectors("other", "gemini/embed-batch--", "gemini");
    vectors("bedrock-invoke", "bedrock/invoke-other--amazon-titan-embed", "bedrock");
    WireCase.family("openai-audio").forEach(this::audio);
    WireCase.family("openai-images").forEach(this::image);

    assertThat(objects.keySet()).isEqualTo(EnumSet.complementOf(NOT_RECORDED));
    assertThat(objects.values().stream().mapToInt(n -> n).sum()).isGreaterThan(10_000);
    assertThat(unlisted).isEmpty();
    assertThat(deviations.gone(Source.REPLAY)).as("in the list, but gone").isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "CHUNK | {'id':'c','object':'chat.completion.chunk','created':1,'model':'m',"
            + "'choices':[{'index':0,'finish_reason':null}]} | chunk choices[].delta missing",
        "RESPONSE_EVENT | {'type':'response.new'} | response.new type is another value",
        "RESPONSE_EVENT | {'type':'response.output_item.added','sequence_number':1,"
            + "'output_index':0,'item':{'type':'function_call','call_id':'c','arguments':7,"
            + "'name':'f'}} | response.output_item.added item.arguments is a number",
        "TRANSCRIPT | {'text':'a','usage':{'seconds':1}} | transcript usage.type missing"
      })
  void aDeviationIsFoundWhereItIs(ObjectKind kind, String object, String deviation) {
    JsonNode json = ClientView.tree(object.replace('\'', '"'));
    assertThat(deviations.compare(kind, json, Author.GATEWAY))
        .extracting(one -> one.toString().replace('\t', ' '))
        .containsExactly(deviation);
  }

  @Test
  void whatAProviderAnswersIsListedOnlyOfItsOwnObjects() {
    JsonNode transcript = ClientView.tree("{\"text\":\"a\",\"usage\":{\"seconds\":1}}");
    assertThat(deviations.compare(ObjectKind.TRANSCRIPT, transcript, Author.PROVIDER)).isEmpty();
  }

  private static String dialectOf(WireCase one) {
    return switch (one.provider()) {
      case "anthropic", "bedrock", "gemini", "cohere", "ollama" -> one.provider();
      case "vertex" -> "gemini";
      default -> "openai";
    };
  }

  private void chat(WireCase one, String dialect) {
    Provider provider = TestCatalog.ofDialect(dialect, "alpha");
    String stream = ",\"stream\":" + one.isStream() + "}";
    String chat = "{\"model\":\"acme/one\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]";
    String response = "{\"model\":\"acme/one\",\"input\":\"a\"";
    replay(one, Endpoint.CHAT_COMPLETIONS, Modality.CHAT, provider, chat + stream);
    replay(one, Endpoint.RESPONSES, Modality.CHAT, provider, response + stream);
  }

  private void completion(WireCase one) {
    String body = "{\"model\":\"acme/one\",\"prompt\":\"a\",\"stream\":" + one.isStream() + "}";
    replay(one, Endpoint.COMPLETIONS, Modality.COMPLETION, body);
  }

  private void vectors(String family, String begin, String dialect) {
    List<WireCase> all =
        WireCase.family(family).stream().filter(one -> one.name().startsWith(begin)).toList();
    assertThat(all).as(begin).isNotEmpty();
    all.forEach(one -> embedding(one, dialect));
  }

  private void embedding(WireCase one, String dialect) {
    Provider provider = TestCatalog.ofDialect(dialect, "alpha");
    String body = "{\"model\":\"acme/one\",\"input\":\"a\"}";
    replay(one, Endpoint.EMBEDDINGS, Modality.EMBEDDING, provider, body);
  }

  private void audio(WireCase one) {
    if (one.name().contains("speech")) {
      return;
    }
    String form = OpenAiWire.form(8_000, "stream=" + one.isStream());
    replay(one, Endpoint.TRANSCRIPTIONS, Modality.TRANSCRIPTION, form);
  }

  private void image(WireCase one) {
    replay(
        one,
        Endpoint.IMAGE_GENERATIONS,
        Modality.IMAGE,
        "{\"model\":\"acme/one\",\"prompt\":\"a\"}");
  }

  private void replay(WireCase one, Endpoint endpoint, Modality modality, String body) {
    replay(one, endpoint, modality, TestCatalog.provider("alpha"), body);
  }

  private void replay(
      WireCase one, Endpoint endpoint, Modality modality, Provider provider, String body) {
    for (ResponseEventSet events : events(endpoint, one)) {
      Provider spacious = TestCatalog.with(provider, EVENT_BYTES_MAX);
      try (var scenario = Scenario.of(TestCatalog.of(modality, spacious), BUDGET_BYTES)) {
        scenario.needing(events);
        RecordedClient client = scenario.ask(endpoint, body);
        for (int tries = 0; tries < TRIES_MAX && !client.isAnswered(); tries++) {
          send(one, scenario.lastRequestLink());
          scenario.run();
          if (!client.isAnswered()) {
            scenario.passSeconds(3); // to the next try
          }
        }
        compare(endpoint.path(), client, author(endpoint, provider));
      }
    }
  }

  private static List<ResponseEventSet> events(Endpoint endpoint, WireCase one) {
    boolean matters = endpoint == Endpoint.RESPONSES && one.isStream();
    return matters ? List.of(ResponseEventSet.values()) : List.of(ResponseEventSet.LISTED);
  }

  private static void send(WireCase one, ProviderLink provider) {
    byte[] body = one.response();
    provider.send(
        "HTTP/1.1 %d Said\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(one.status(), type(one), body.length));
    provider.send(body, 0, body.length);
  }

  private static String type(WireCase one) {
    String recorded = one.meta().at("/response/headers/content-type").asText();
    String usual = one.isStream() ? "text/event-stream" : "application/json";
    return recorded.isEmpty() ? usual : recorded;
  }

  /** A chat of an OpenAI-compatible provider is passed on; a response is written from it. */
  private static Author author(Endpoint endpoint, Provider provider) {
    boolean passed = endpoint != Endpoint.RESPONSES && provider.dialect().equals("openai");
    return passed ? Author.PROVIDER : Author.GATEWAY;
  }

  private void compare(String path, RecordedClient client, Author author) {
    if (client.isOpened()) {
      ClientView.of(client.text()).chunks().forEach(event -> event(path, event, author));
    }
    switch (client.answer()) {
      case Answer.Whole whole -> reply(path, ClientView.tree(whole.body()), author);
      case Answer.Refused refused -> refused(path, refused.fault(), client);
      case Answer.Streamed _ -> {}
    }
  }

  private void refused(String path, Fault fault, RecordedClient client) {
    ByteBuf out = Unpooled.buffer();
    var id = RequestId.at(1_700_000_000_000L);
    if (!client.isOpened()) {
      ErrorEnvelope.write(out, fault, id);
      reply(path, ClientView.tree(out.toString(UTF_8)), Author.GATEWAY);
      return;
    }
    ErrorEnvelope.write(out, fault, id, client.errorForm());
    event(path, ClientView.tree(out.toString(UTF_8)), Author.GATEWAY);
  }

  private void reply(String path, JsonNode object, Author author) {
    compare(ObjectKind.reply(path, object).orElseThrow(), object, author);
  }

  private void event(String path, JsonNode object, Author author) {
    compare(ObjectKind.event(path, object).orElseThrow(), object, author);
  }

  private void compare(ObjectKind kind, JsonNode object, Author author) {
    objects.merge(kind, 1, Integer::sum);
    deviations
        .compare(kind, object, author)
        .forEach(one -> unlisted.putIfAbsent(one, object.toString()));
  }
}
