package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bodies at and above the limit, from clients that write everything before they read. */
class LargeBodyIT {
  private static final int MIB = 1 << 20;
  private static final URI CHAT = URI.create(SharedNode.node().baseUrl() + "/chat/completions");

  @AfterEach
  void nothingIsHeld() {
    SharedNode.node().admin().awaitNoRequests();
  }

  @Test
  void theJdkClientReceives413ForThirtyMegabytes() throws Exception {
    try (HttpClient client = http()) {
      for (int i = 0; i < 5; i++) {
        HttpResponse<String> response = client.send(request(body(30 * MIB)), text());
        assertTooLarge(response.statusCode(), response.body());
      }
    }
  }

  @Test
  void okhttpReceives413ForThirtyMegabytes() throws IOException {
    OkHttpClient client = new OkHttpClient();
    RequestBody body = RequestBody.create(body(30 * MIB), MediaType.get("application/json"));
    Request request =
        new Request.Builder()
            .url(CHAT.toString())
            .header("Authorization", "Bearer " + SharedNode.key())
            .post(body)
            .build();
    for (int i = 0; i < 5; i++) {
      try (Response response = client.newCall(request).execute()) {
        assertTooLarge(response.code(), response.body().string());
      }
    }
    client.connectionPool().evictAll();
    client.dispatcher().executorService().shutdown();
  }

  @Test
  void aBodyAtTheLimitIsAnswered() throws Exception {
    try (HttpClient client = http()) {
      HttpResponse<String> response = client.send(request(body(10 * MIB)), text());
      assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
      response = client.send(request(body(10 * MIB + 1)), text());
      assertTooLarge(response.statusCode(), response.body());
    }
  }

  private static HttpClient http() {
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  private static HttpRequest request(byte[] body) {
    return HttpRequest.newBuilder(CHAT)
        .header("Authorization", "Bearer " + SharedNode.key())
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
        .build();
  }

  private static HttpResponse.BodyHandler<String> text() {
    return HttpResponse.BodyHandlers.ofString();
  }

  private static void assertTooLarge(int status, String body) {
    assertThat(status).as(body).isEqualTo(413);
    assertThat(Json.tree(body).path("error").path("code").asText()).isEqualTo("request_too_large");
  }

  /** Returns a valid request of exactly this many bytes. */
  private static byte[] body(int bytes) {
    byte[] head =
        "{\"model\":\"test/chat\",\"messages\":[{\"role\":\"user\",\"content\":\"".getBytes(UTF_8);
    byte[] tail = "\"}]}".getBytes(UTF_8);
    byte[] body = new byte[bytes];
    Arrays.fill(body, (byte) 'a');
    System.arraycopy(head, 0, body, 0, head.length);
    System.arraycopy(tail, 0, body, bytes - tail.length, tail.length);
    return body;
  }
}
