package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.HttpResponse;
import com.openai.errors.BadRequestException;
import com.openai.models.audio.AudioResponseFormat;
import com.openai.models.audio.speech.SpeechCreateParams;
import com.openai.models.audio.transcriptions.TranscriptionCreateParams;
import com.openai.models.audio.transcriptions.TranscriptionStreamEvent;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Speech and transcriptions through the real program, with the official Java SDK and over raw
 * sockets.
 */
class AudioIT {
  private static final OpenAIClient CLIENT =
      OpenAIOkHttpClient.builder()
          .baseUrl(SharedNode.node().baseUrl().toString())
          .apiKey(SharedNode.key())
          .maxRetries(0)
          .build();

  @TempDir static Path folder;

  @AfterAll
  static void nothingIsLeftBehind() {
    CLIENT.close();
    SharedNode.node().admin().awaitIdle();
    assertThat(SharedNode.node().admin().get("/metrics").body())
        .contains("\ntollgate_inflight_bytes 0");
  }

  private static SpeechCreateParams.Builder say() {
    return SpeechCreateParams.builder().model("test/speech").input("Say it.").voice("alloy");
  }

  /** Returns the provider's own response to the same request. */
  private static byte[] spokenByProvider(SpeechCreateParams.ResponseFormat format) {
    String model = "mock-speech?chunks=12"; // the settings of the shared node's provider
    String body =
        AudioRequests.speechBody(model, ",\"response_format\":\"" + format.asString() + "\"");
    try (MockProvider provider = MockProvider.start(MockProfile.IMMEDIATE, 0);
        RawClient client = RawClient.connect(provider.port())) {
      return client.post("/v1/audio/speech", body).readResponse().body();
    }
  }

  private static Path spoken(SpeechCreateParams.ResponseFormat format) throws IOException {
    Path file = Files.createTempFile(folder, "spoken", "." + format.asString());
    try (HttpResponse reply =
        CLIENT.audio().speech().create(say().responseFormat(format).build())) {
      Files.write(file, reply.body().readAllBytes());
    }
    return file;
  }

  @ParameterizedTest
  @ValueSource(strings = {"mp3", "wav", "pcm"})
  void aSpokenFileHasTheBytesOfTheProvider(String name) throws IOException {
    var format = SpeechCreateParams.ResponseFormat.of(name);
    byte[] provided = spokenByProvider(format);
    assertThat(provided).hasSizeGreaterThan(1_000);
    assertThat(Files.readAllBytes(spoken(format))).isEqualTo(provided);
  }

  @Test
  void speechIsAPlayableFile() throws Exception {
    byte[] wav = Files.readAllBytes(spoken(SpeechCreateParams.ResponseFormat.WAV));
    try (AudioInputStream sound = AudioSystem.getAudioInputStream(new ByteArrayInputStream(wav))) {
      assertThat(sound.getFormat().getEncoding()).isEqualTo(AudioFormat.Encoding.PCM_SIGNED);
      assertThat(sound.getFormat().getSampleRate()).isEqualTo(24_000f);
      assertThat(sound.readAllBytes()).hasSize(wav.length - 44);
    }
    byte[] mp3 = Files.readAllBytes(spoken(SpeechCreateParams.ResponseFormat.MP3));
    assertThat(mp3).startsWith(0xff, 0xf3);
  }

  @Test
  void theCostOfSpeechIsInTheHead() {
    RawResponse reply =
        AudioRequests.speech("test/speech", ",\"response_format\":\"pcm\"", SharedNode.key());
    assertThat(reply.header("content-type")).isEqualTo("audio/pcm");
    assertThat(reply.header("x-llm-cost-micro")).isEqualTo("105");
    assertThat(reply.header("x-llm-model")).isEqualTo("test/speech");
    assertThat(reply.body().length % 2).isZero();
  }

  @Test
  void speechEventsCarryTheFileAndTheChargeInTheLast() {
    RawResponse plain = AudioRequests.speech("test/speech", "", SharedNode.key());
    RawResponse events =
        AudioRequests.speech("test/speech", ",\"stream_format\":\"sse\"", SharedNode.key());
    assertThat(events.header("content-type")).startsWith("text/event-stream");
    var sound = new ByteArrayOutputStream();
    for (String event : events.events()) {
      if (event.contains("speech.audio.delta")) {
        String base64 = Json.tree(event.substring(6)).path("audio").asText();
        sound.writeBytes(Base64.getDecoder().decode(base64));
      }
    }
    assertThat(sound.toByteArray()).isEqualTo(plain.body());
    int count = events.events().size();
    assertThat(events.events().get(count - 1)).isEqualTo("data: [DONE]");
    JsonNode done = Json.tree(events.events().get(count - 2).substring(6));
    assertThat(done.path("type").asText()).isEqualTo("speech.audio.done");
    assertThat(done.at("/usage/x_llm_cost_micro").asInt()).isEqualTo(105);
  }

  @Test
  void truncatedSpeechIsNotACompleteFile() {
    try (RawClient client = SharedNode.node().connect()) {
      client.post(
          "/v1/audio/speech",
          AudioRequests.speechBody("test/speech-cut", ""),
          SharedNode.authorization());
      assertThat(client.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 200 OK");
      byte[] rest = client.readToEnd();
      assertThat(rest).hasSizeGreaterThan(5 * 384);
      assertThat(new String(rest, US_ASCII)).doesNotEndWith("0\r\n\r\n");
    }
  }

  private static TranscriptionCreateParams.Builder hear(Path file) {
    return TranscriptionCreateParams.builder().model("test/hearing").file(file);
  }

  @Test
  void theSdkReadsEveryKindOfTranscript() throws IOException {
    Path file = spoken(SpeechCreateParams.ResponseFormat.WAV);
    var plain = CLIENT.audio().transcriptions().create(hear(file).build()).asTranscription();
    assertThat(plain.text()).isNotEmpty();
    assertThat(plain.usage().orElseThrow().asTokens().outputTokens()).isPositive();
    var verbose =
        CLIENT
            .audio()
            .transcriptions()
            .create(hear(file).responseFormat(AudioResponseFormat.VERBOSE_JSON).build())
            .asVerbose();
    assertThat(verbose.text()).isEqualTo(plain.text());
    CLIENT
        .audio()
        .transcriptions()
        .create(
            hear(file)
                .model("test/whisper")
                .responseFormat(AudioResponseFormat.VERBOSE_JSON)
                .build())
        .asVerbose()
        .validate();
    var diarized =
        CLIENT
            .audio()
            .transcriptions()
            .create(hear(file).responseFormat(AudioResponseFormat.DIARIZED_JSON).build())
            .asDiarized();
    assertThat(diarized.segments().getFirst().speaker()).isEqualTo("A");

    StringBuilder streamed = new StringBuilder();
    try (var events = CLIENT.audio().transcriptions().createStreaming(hear(file).build())) {
      List<TranscriptionStreamEvent> all = events.stream().toList();
      all.stream()
          .filter(TranscriptionStreamEvent::isTranscriptTextDelta)
          .forEach(event -> streamed.append(event.asTranscriptTextDelta().delta()));
      assertThat(all.getLast().asTranscriptTextDone().text()).isEqualTo(plain.text());
    }
    assertThat(streamed).hasToString(plain.text());
  }

  @ParameterizedTest
  @CsvSource({"text,text/plain,2400", "srt,text/plain,200", "vtt,text/vtt,200"})
  void textKeepsItsTypeAndCarriesItsCostInTheHead(String format, String type, String cost) {
    byte[] form = AudioRequests.form("test/whisper", 96_000, "response_format=" + format);
    RawResponse reply = AudioRequests.transcribe(SharedNode.node(), form, SharedNode.key());
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    assertThat(reply.header("content-type")).startsWith(type);
    assertThat(reply.text()).doesNotContain("x_llm").isNotEmpty();
    // The last subtitle ends after 2 s, at 100 micro-USD each. Plain text states no duration, so
    // the duration is that of the file: 96,000 bytes at 4,000 a second.
    assertThat(reply.header("x-llm-cost-micro")).isEqualTo(cost);
    assertThat(reply.header("x-llm-cost-estimated")).isEqualTo("true");
  }

  @Test
  void transcriptionByDurationIsChargedByDuration() {
    RawResponse reply =
        AudioRequests.transcribe(
            SharedNode.node(), AudioRequests.form("test/whisper", 96_000), SharedNode.key());
    JsonNode usage = Json.tree(reply.text()).path("usage");
    assertThat(usage.path("seconds").asInt()).isEqualTo(2); // by the mock provider's calculation
    assertThat(usage.path("x_llm_cost_micro").asInt()).isEqualTo(200);
    assertThat(reply.header("x-llm-cost-micro")).isEqualTo("200");
  }

  @Test
  void filesAreAcceptedUpToTheLimit() {
    int most = 25 * 1024 * 1024;
    byte[] form =
        AudioRequests.form("test/whisper", most - AudioRequests.form("test/whisper", 0).length);
    assertThat(form).hasSize(most);
    assertThat(AudioRequests.transcribe(SharedNode.node(), form, SharedNode.key()).status())
        .isEqualTo(200);
    try (RawClient client = SharedNode.node().connect()) {
      client.send(
          "POST /v1/audio/transcriptions HTTP/1.1\r\nHost: a\r\nContent-Length: "
              + (most + 1)
              + "\r\nContent-Type: multipart/form-data; boundary=b\r\n"
              + SharedNode.authorization()
              + "\r\n\r\n");
      RawResponse refused = client.readResponse();
      assertThat(refused.status()).isEqualTo(413);
      assertThat(refused.text()).contains("request_too_large");
    }
  }

  @Test
  void invalidFormsAreRefusedWithTheReason() {
    try (RawClient client = SharedNode.node().connect()) {
      RawResponse json =
          client.post("/v1/audio/transcriptions", "{}", SharedNode.authorization()).readResponse();
      assertThat(json.status()).isEqualTo(415);
    }
    byte[] cut = "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nx".getBytes(UTF_8);
    RawResponse broken = AudioRequests.transcribe(SharedNode.node(), cut, SharedNode.key());
    assertThat(broken.status()).isEqualTo(400);
    assertThat(broken.text()).contains("validation_failed", "its end is missing");
    var error =
        catchThrowableOfType(
            BadRequestException.class,
            () -> CLIENT.audio().speech().create(say().input("").build()));
    assertThat(error.param()).contains("input");
  }
}
