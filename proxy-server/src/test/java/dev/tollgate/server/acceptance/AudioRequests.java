package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;

/** Minimal audio requests for raw sockets. */
final class AudioRequests {
  private AudioRequests() {}

  static String speechBody(String model, String more) {
    return "{\"model\":\"%s\",\"input\":\"Say it.\",\"voice\":\"alloy\"%s}".formatted(model, more);
  }

  /** Returns a form with a file of this many bytes, and fields like {@code a=b}. */
  static byte[] form(String model, int fileBytes, String... fields) {
    StringBuilder form = new StringBuilder(fileBytes + 1_024);
    String head = "--b\r\nContent-Disposition: form-data; name=\"";
    form.append(head).append("model\"\r\n\r\n").append(model).append("\r\n");
    for (String field : fields) {
      String[] parts = field.split("=", 2);
      form.append(head).append(parts[0]).append("\"\r\n\r\n").append(parts[1]).append("\r\n");
    }
    form.append(head).append("file\"; filename=\"a.wav\"\r\n\r\n").append("x".repeat(fileBytes));
    return form.append("\r\n--b--\r\n").toString().getBytes(US_ASCII);
  }

  static RawResponse transcribe(String model, String key) {
    return transcribe(SharedNode.node(), form(model, 48_000), key);
  }

  static RawResponse transcribe(GatewayProcess node, byte[] form, String key) {
    try (RawClient client = node.connect()) {
      client.send(
          "POST /v1/audio/transcriptions HTTP/1.1\r\nHost: a\r\nContent-Length: "
              + form.length
              + "\r\nContent-Type: multipart/form-data; boundary=b\r\n"
              + ChatRequests.authorization(key)
              + "\r\n\r\n");
      return client.send(form).readResponse();
    }
  }

  static RawResponse speech(String model, String key) {
    return speech(model, "", key);
  }

  static RawResponse speech(String model, String more, String key) {
    try (RawClient client = SharedNode.node().connect()) {
      String body = speechBody(model, more);
      return client.post("/v1/audio/speech", body, ChatRequests.authorization(key)).readResponse();
    }
  }
}
