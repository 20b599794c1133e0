package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.storage.S3Server;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Objects;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Images by URL through the real program, stored in a directory and in a bucket. */
@Execution(ExecutionMode.CONCURRENT)
class StoredImagesIT {
  private static final String MODEL = "test/image";

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void imagesInADirectoryAreServedByTheGateway() throws Exception {
    try (GatewayProcess node =
        SharedNode.beside(
            SharedNode.setup(), List.of(), "object_storage={ directory: ./objects }")) {
      JsonNode image = draw(node);
      String url = image.path("url").asText();
      assertThat(url).startsWith("http://127.0.0.1:" + node.port() + "/artifacts/");
      HttpResponse<byte[]> fetched = fetch(url);
      assertThat(fetched.statusCode()).isEqualTo(200);
      requirePicture(fetched);
      String altered = url.substring(0, url.length() - 1) + (url.endsWith("0") ? "1" : "0");
      assertThat(fetch(altered).statusCode()).isEqualTo(404);
      assertThat(node.admin().total("tollgate_outputs_stored_total")).isEqualTo(1);
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void imagesInABucketAreServedByTheBucket() throws Exception {
    try (S3Server server = S3Server.start();
        GatewayProcess node = SharedNode.beside(SharedNode.setup(), List.of(), server.setting())) {
      String url = draw(node).path("url").asText();
      assertThat(url).startsWith(server.url() + "/").contains("X-Amz-Signature=");
      HttpResponse<byte[]> fetched = fetch(url);
      assertThat(fetched.statusCode()).isEqualTo(200);
      requirePicture(fetched);
      assertThat(fetch(url.replace("X-Amz-Expires=3600", "X-Amz-Expires=7200")).statusCode())
          .isEqualTo(403);
    }
  }

  private static JsonNode draw(GatewayProcess node) throws Exception {
    String body = "{\"model\":\"" + MODEL + "\",\"prompt\":\"A gate.\",\"size\":\"64x48\"}";
    try (RawClient client = node.connect()) {
      RawResponse reply =
          client.post("/v1/images/generations", body, SharedNode.authorization()).readResponse();
      assertThat(reply.status()).as(reply.text()).isEqualTo(200);
      return Json.tree(reply.text()).path("data").path(0);
    }
  }

  private static HttpResponse<byte[]> fetch(String url) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofByteArray());
    }
  }

  private static void requirePicture(HttpResponse<byte[]> fetched) throws Exception {
    assertThat(fetched.headers().firstValue("content-type")).contains("image/png");
    assertThat(fetched.headers().firstValue("content-disposition")).contains("attachment");
    BufferedImage picture =
        Objects.requireNonNull(ImageIO.read(new ByteArrayInputStream(fetched.body())));
    assertThat(picture.getWidth()).isEqualTo(64);
    assertThat(picture.getHeight()).isEqualTo(48);
  }
}
