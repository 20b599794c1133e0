package dev.tollgate.core.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.http.Field;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Request that a receiver gets. */
class WebhookRequestTest {
  private static final WebhookSecret SECRET = new WebhookSecret(new byte[32]);
  private static final ClaimedEvent DUE =
      new ClaimedEvent(
          UUID.fromString("0197c1a2-7b3c-4d5e-8f90-a1b2c3d4e5f6"),
          new OrgId(new UUID(0, 1)),
          new UUID(0, 2),
          "job.completed",
          "https://hook.example/",
          new RequestId("req_01JADE"),
          1,
          1,
          Duration.ZERO,
          List.of(SECRET));

  @Test
  void theBodyHoldsTheEventAndTheJobAsItIs() {
    byte[] job = "{ \"id\":\"ü\" }".getBytes(UTF_8);
    assertThat(new String(WebhookRequest.of(DUE, job, 5).body(), UTF_8))
        .isEqualTo("{\"event\":\"job.completed\",\"job\":{ \"id\":\"ü\" }}");
  }

  @Test
  void theFieldsAreThoseOfTheSpecificationAndOfStandardWebhooks() {
    WebhookRequest sent = WebhookRequest.of(DUE, "{}".getBytes(UTF_8), 1_764_000_000);
    assertThat(sent.fields().subList(0, 2))
        .containsExactly(
            new Field("content-type", "application/json"), new Field("x-request-id", "req_01JADE"));
    assertThat(sent.fields().subList(2, 6))
        .isEqualTo(WebhookSignature.fields(DUE.id(), 1_764_000_000, sent.body(), List.of(SECRET)));
    assertThat(sent.fields()).hasSize(6);
  }

  @Test
  void theNameStaysWhileTimeAndSignatureChange() {
    byte[] job = "{}".getBytes(UTF_8);
    List<Field> first = WebhookRequest.of(DUE, job, 1).fields();
    List<Field> second = WebhookRequest.of(DUE, job, 2).fields();
    assertThat(second).contains(first.get(3)).doesNotContain(first.get(4), first.get(5));
  }
}
