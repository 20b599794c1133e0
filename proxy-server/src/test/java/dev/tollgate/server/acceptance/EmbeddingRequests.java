package dev.tollgate.server.acceptance;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;

/** Minimal embedding requests for raw sockets. */
final class EmbeddingRequests {
  static final String PATH = "/v1/embeddings";

  private EmbeddingRequests() {}

  static String body(String model, String more) {
    return "{\"model\":\"%s\",\"input\":[\"One text.\",\"Another.\"]%s}".formatted(model, more);
  }

  static RawResponse ask(String model, String key) {
    return send(body(model, ""), key);
  }

  static RawResponse send(String body, String key) {
    try (RawClient client = SharedNode.node().connect()) {
      return client.post(PATH, body, ChatRequests.authorization(key)).readResponse();
    }
  }
}
