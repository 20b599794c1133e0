package dev.tollgate.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import com.openai.client.OpenAIClient;
import com.openai.core.MultipartField;
import com.openai.core.http.HttpResponse;
import com.openai.core.http.StreamResponse;
import com.openai.models.audio.AudioResponseFormat;
import com.openai.models.audio.speech.SpeechCreateParams;
import com.openai.models.audio.transcriptions.TranscriptionCreateParams;
import com.openai.models.audio.transcriptions.TranscriptionCreateResponse;
import com.openai.models.audio.transcriptions.TranscriptionStreamEvent;
import com.openai.models.completions.Completion;
import com.openai.models.completions.CompletionCreateParams;
import com.openai.models.embeddings.EmbeddingCreateParams;
import com.openai.models.images.ImageGenerateParams;
import com.openai.models.models.Model;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is no chat, from the bundled mock provider: openai-java finds every object valid. */
class OtherApisTest {
  private static final OpenAIClient CLIENT = OpenAiJava.client(Gateway.ABORT, 0);
  private static final int SOUND_BYTES = 96_000;

  @AfterAll
  static void close() {
    CLIENT.close();
  }

  private static CompletionCreateParams completion() {
    return CompletionCreateParams.builder().model("test/completion").prompt("Once").build();
  }

  private static MultipartField<InputStream> sound() {
    return MultipartField.<InputStream>builder()
        .value(new ByteArrayInputStream(new byte[SOUND_BYTES]))
        .filename("said.wav")
        .build();
  }

  private static TranscriptionCreateParams.Builder transcription(String model) {
    return TranscriptionCreateParams.builder().model("test/" + model).file(sound());
  }

  @Test
  void aCompletionIsValid() {
    Completion whole = CLIENT.completions().create(completion()).validate();

    assertThat(whole.choices().getFirst().text()).isNotBlank();
  }

  @Test
  void theChunksOfACompletionAreValidButForTheirFinish() throws Throwable {
    KnownFailures.check(
        "other completion chunks",
        () -> {
          try (StreamResponse<Completion> chunks =
              CLIENT.completions().createStreaming(completion())) {
            chunks.stream().forEach(Completion::validate);
          }
        });
  }

  @Test
  void embeddingsAreValid() {
    var params =
        EmbeddingCreateParams.builder()
            .model("test/embedding")
            .inputOfArrayOfStrings(List.of("a", "b"))
            .build();

    assertThat(CLIENT.embeddings().create(params).validate().data()).hasSize(2);
  }

  @Test
  void speechIsRead() throws Exception {
    var params =
        SpeechCreateParams.builder()
            .model("test/speech")
            .input("Say it.")
            .voice("alloy")
            .responseFormat(SpeechCreateParams.ResponseFormat.WAV)
            .build();

    try (HttpResponse speech = CLIENT.audio().speech().create(params)) {
      assertThat(speech.body().readAllBytes()).hasSizeGreaterThan(SOUND_BYTES / 100);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"transcription", "whisper"})
  void transcriptsAreValid(String model) throws Throwable {
    String plain =
        CLIENT
            .audio()
            .transcriptions()
            .create(transcription(model).build())
            .validate()
            .asTranscription()
            .text();
    TranscriptionCreateParams verbose =
        transcription(model).responseFormat(AudioResponseFormat.VERBOSE_JSON).build();

    KnownFailures.check(
        "other verbose " + model,
        () -> {
          TranscriptionCreateResponse said =
              CLIENT.audio().transcriptions().create(verbose).validate();
          assertThat(said.asVerbose().text()).isEqualTo(plain);
        });
  }

  @Test
  void theEventsOfATranscriptAreValid() {
    try (StreamResponse<TranscriptionStreamEvent> events =
        CLIENT.audio().transcriptions().createStreaming(transcription("transcription").build())) {
      assertThat(events.stream().map(TranscriptionStreamEvent::validate)).isNotEmpty();
    }
  }

  @Test
  void imagesAndTheirUsageAreValid() {
    var params = ImageGenerateParams.builder().model("test/image").prompt("A gate.").build();

    var drawn = CLIENT.images().generate(params).validate();

    assertThat(drawn.usage().orElseThrow().outputTokens()).isNotNegative();
    assertThat(drawn.data().orElseThrow()).hasSize(1);
  }

  @Test
  void modelsAreValid() {
    List<Model> models = CLIENT.models().list().data();

    models.forEach(Model::validate);
    assertThat(models).extracting(Model::id).contains("test/image", "chat/openai");
  }
}
