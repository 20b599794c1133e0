package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.errors.OpenAIServiceException;
import com.openai.models.images.Image;
import com.openai.models.images.ImageEditParams;
import com.openai.models.images.ImageGenerateParams;
import com.openai.models.images.ImagesResponse;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.UUID;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The official Java SDK against the real program: images that can be decoded. */
@Execution(ExecutionMode.CONCURRENT)
class JavaSdkImagesIT {
  private static final OpenAIClient CLIENT =
      OpenAIOkHttpClient.builder()
          .baseUrl(SharedNode.node().baseUrl().toString())
          .apiKey(SharedNode.key())
          .maxRetries(0)
          .build();

  @AfterAll
  static void nothingIsLeftBehind() {
    CLIENT.close();
  }

  @Test
  void imagesInBase64DecodeAndReportTheirCost() throws Exception {
    ImagesResponse drawn =
        CLIENT
            .images()
            .generate(
                ImageGenerateParams.builder()
                    .model("test/image")
                    .prompt("A gate.")
                    .n(2)
                    .size("512x512")
                    .putAdditionalBodyProperty("response_format", JsonValue.from("b64_json"))
                    .build());
    drawn.validate();
    assertThat(drawn.usage().orElseThrow().inputTokens()).isZero();
    assertThat(drawn.created()).isPositive();
    assertThat(drawn.data().orElseThrow()).hasSize(2);
    for (Image image : drawn.data().orElseThrow()) {
      requireOpens(Base64.getDecoder().decode(image.b64Json().orElseThrow()), 512);
    }
    var raw = Json.of(drawn);
    assertThat(raw.path("provider").asText()).isEqualTo("mock");
    assertThat(raw.at("/usage/images").intValue()).isEqualTo(2);
    assertThat(raw.at("/usage/x_llm_cost_micro").intValue()).isEqualTo(80_000);
  }

  @Test
  void aUrlLeadsToAnImage() throws Exception {
    ImagesResponse drawn =
        CLIENT
            .images()
            .generate(ImageGenerateParams.builder().model("test/image").prompt("A gate.").build());
    String url = drawn.data().orElseThrow().getFirst().url().orElseThrow();
    try (HttpClient client = HttpClient.newHttpClient()) {
      byte[] file =
          client
              .send(
                  HttpRequest.newBuilder(URI.create(url)).build(),
                  HttpResponse.BodyHandlers.ofByteArray())
              .body();
      requireOpens(file, 1_024);
    }
  }

  @Test
  void aRepeatedIdempotencyKeyReplaysAndRefusesAnotherBody() {
    ImageGenerateParams asked =
        ImageGenerateParams.builder()
            .model("test/image")
            .prompt("A gate.")
            .size("256x256")
            .putAdditionalBodyProperty("response_format", JsonValue.from("b64_json"))
            .putAdditionalHeader("Idempotency-Key", "java-" + UUID.randomUUID())
            .build();
    try (var first = CLIENT.images().withRawResponse().generate(asked);
        var again = CLIENT.images().withRawResponse().generate(asked)) {
      assertThat(first.headers().values("Idempotent-Replayed")).isEmpty();
      assertThat(again.headers().values("Idempotent-Replayed")).containsExactly("true");
      assertThat(again.statusCode()).isEqualTo(200);
      assertThat(again.requestId()).isNotEqualTo(first.requestId());
      assertThat(Json.of(again.parse())).isEqualTo(Json.of(first.parse()));
    }
    ImageGenerateParams other = asked.toBuilder().prompt("A wall.").build();
    OpenAIServiceException conflict =
        catchThrowableOfType(OpenAIServiceException.class, () -> CLIENT.images().generate(other));
    assertThat(conflict.statusCode()).isEqualTo(409);
    assertThat(conflict.code()).contains("idempotency_conflict");
    assertThat(conflict.headers().values("x-should-retry")).containsExactly("false");
  }

  @Test
  void anImageIsEditedWithAMask(@TempDir Path folder) throws Exception {
    Path picture = picture(folder.resolve("gate.png"));
    Path mask = picture(folder.resolve("mask.png"));
    ImagesResponse edited =
        CLIENT
            .images()
            .edit(
                ImageEditParams.builder()
                    .model("test/image")
                    .image(picture)
                    .mask(mask)
                    .prompt("At night.")
                    .size("256x256")
                    .putAdditionalBodyProperty("response_format", JsonValue.from("b64_json"))
                    .build());
    String base64 = edited.data().orElseThrow().getFirst().b64Json().orElseThrow();
    requireOpens(Base64.getDecoder().decode(base64), 256);
    assertThat(Json.of(edited).at("/usage/x_llm_cost_micro").intValue()).isEqualTo(40_000);
  }

  private static Path picture(Path file) throws Exception {
    ImageIO.write(new BufferedImage(8, 8, BufferedImage.TYPE_INT_ARGB), "png", file.toFile());
    assertThat(Files.size(file)).isPositive();
    return file;
  }

  private static void requireOpens(byte[] file, int side) throws Exception {
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(file));
    assertThat(image.getWidth()).isEqualTo(side);
    assertThat(image.getHeight()).isEqualTo(side);
  }
}
