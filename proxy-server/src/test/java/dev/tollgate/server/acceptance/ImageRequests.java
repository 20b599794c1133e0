package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;

/** Image requests to the shared node. */
final class ImageRequests {
  private static final String GENERATIONS = "/v1/images/generations";

  private static final String EDITS = "/v1/images/edits";

  private ImageRequests() {}

  /** Requests an edited image with a form. */
  static RawResponse edit(String model, String key, String... fields) {
    byte[] form = form(model, fields);
    try (RawClient client = SharedNode.node().connect()) {
      client.send(
          "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n".formatted(EDITS, form.length)
              + "Content-Type: multipart/form-data; boundary=b\r\n"
              + ChatRequests.authorization(key)
              + "\r\n\r\n");
      return client.send(form).readResponse();
    }
  }

  private static byte[] form(String model, String... fields) {
    String head = "--b\r\nContent-Disposition: form-data; name=\"";
    StringBuilder form = new StringBuilder();
    form.append(head).append("model\"\r\n\r\n").append(model).append("\r\n");
    for (String field : fields) {
      String[] parts = field.split("=", 2);
      form.append(head).append(parts[0]).append("\"\r\n\r\n").append(parts[1]).append("\r\n");
    }
    form.append(head).append("prompt\"\r\n\r\nMend it.\r\n");
    form.append(head).append("image\"; filename=\"a.png\"\r\n\r\nGIF89a......\r\n--b--\r\n");
    return form.toString().getBytes(US_ASCII);
  }

  /**
   * Requests an image.
   *
   * @param more members of the body, each with a leading comma
   */
  static RawResponse generate(String model, String more, String key) {
    String body = "{\"model\":\"" + model + "\",\"prompt\":\"A gate.\"" + more + "}";
    try (RawClient client = SharedNode.node().connect()) {
      return client.post(GENERATIONS, body, ChatRequests.authorization(key)).readResponse();
    }
  }
}
