package dev.tollgate.server.acceptance;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;

/** Minimal chat requests for raw sockets. */
final class ChatRequests {
  static final String PATH = "/v1/chat/completions";

  private ChatRequests() {}

  static String body(String model, boolean stream) {
    return body(model, stream, "Hi.");
  }

  static String body(String model, boolean stream, String prompt) {
    return """
    {"model":"%s","stream":%b,"messages":[{"role":"user","content":"%s"}]}\
    """
        .formatted(model, stream, prompt);
  }

  static String authorization(String key) {
    return "Authorization: Bearer " + key;
  }

  /** Sends a plain request with the shared key, on a connection of its own. */
  static RawResponse ask(GatewayProcess node, String model) {
    return ask(node, model, SharedNode.key());
  }

  static RawResponse ask(GatewayProcess node, String model, String key) {
    try (RawClient client = node.connect()) {
      return client.post(PATH, body(model, false), authorization(key)).readResponse();
    }
  }

  /** Opens a stream with the shared key and reads up to its first event. */
  static RawClient stream(GatewayProcess node, String model) {
    RawClient client = node.connect();
    client.post(PATH, body(model, true), SharedNode.authorization());
    client.readUntil("data: ");
    return client;
  }

  /** Returns the error code of a response, or an empty string. */
  static String code(RawResponse response) {
    return Json.tree(response.text()).path("error").path("code").asText();
  }
}
