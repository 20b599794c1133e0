package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What the program answers besides recorded replies: all deviations from OpenAI's document that the
 * list has of it still occur. Others fail the test that meets them.
 */
@Tag("corpus")
class OpenAiDocumentIT {
  @Test
  void everyDeviationInTheListOccurs() {
    for (boolean stream : new boolean[] {false, true}) {
      requireFine(respond(stream));
    }
    byte[] form = AudioRequests.form("test/hearing", 48_000, "response_format=verbose_json");
    requireFine(AudioRequests.transcribe(SharedNode.node(), form, SharedNode.key()));
    assertThat(ApiConformance.gone()).as("in the list, but gone").isEmpty();
  }

  private static void requireFine(RawResponse response) {
    assertThat(response.status()).as(response.text()).isEqualTo(200);
  }

  private static RawResponse respond(boolean stream) {
    String tool = "{\"type\":\"function\",\"name\":\"f\",\"parameters\":{}}";
    String body = "{\"model\":\"test/chat\",\"input\":\"a\",\"tools\":[" + tool + "],\"stream\":";
    try (RawClient client = SharedNode.node().connect()) {
      client.post("/v1/responses", body + stream + "}", SharedNode.authorization());
      return client.readResponse();
    }
  }
}
