package dev.tollgate.server.acceptance;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;

/** Requests for pictures to the shared node. */
final class Pictures {
  private static final String GENERATIONS = "/v1/images/generations";

  private Pictures() {}

  /**
   * Asks for one.
   *
   * @param more members of the body, each with a comma ahead
   */
  static RawResponse draw(String model, String more, String key) {
    String body = "{\"model\":\"" + model + "\",\"prompt\":\"A gate.\"" + more + "}";
    try (RawClient client = Shared.node().connect()) {
      return client.post(GENERATIONS, body, Chats.authorization(key)).readResponse();
    }
  }
}
