package dev.tollgate.server.acceptance;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;

/** Requests about audio on raw sockets, as short as they can be. */
final class Voices {
  private Voices() {}

  static String spoken(String model, String more) {
    return "{\"model\":\"%s\",\"input\":\"Say it.\",\"voice\":\"alloy\"%s}".formatted(model, more);
  }

  static RawResponse speak(String model, String key) {
    return speak(model, "", key);
  }

  static RawResponse speak(String model, String more, String key) {
    try (RawClient client = Shared.node().connect()) {
      String body = spoken(model, more);
      return client.post("/v1/audio/speech", body, Chats.authorization(key)).readResponse();
    }
  }
}
