package dev.tollgate.core.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.http.Field;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Signatures computed by others: by OpenSSL, and in the text of Standard Webhooks. */
class WebhookSignatureTest {
  private static final WebhookSecret SECRET = secret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  private static final byte[] BODY = "{\"test\": 2432232314}".getBytes(UTF_8);
  private static final UUID EVENT = UUID.fromString("0197c1a2-7b3c-4d5e-8f90-a1b2c3d4e5f6");

  private static WebhookSecret secret(String base64) {
    return new WebhookSecret(Base64.getDecoder().decode(base64));
  }

  @Test
  void theExampleOfStandardWebhooksComesOut() {
    assertThat(
            WebhookSignature.ofMessage("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", BODY, SECRET))
        .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  }

  @Test
  void theBodyIsSignedWithTheTextThatPeopleCopy() {
    assertThat(WebhookSignature.ofBody(BODY, SECRET))
        .isEqualTo("sha256=80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c");
  }

  @Test
  void bytesAreSignedWhateverTheyAre() {
    byte[] umlauts = "{\"ü\":\"\u0000\"}\n".getBytes(UTF_8);
    assertThat(WebhookSignature.ofBody(umlauts, SECRET)).isEqualTo(UMLAUTS_BODY);
    assertThat(WebhookSignature.ofMessage("a", "0", new byte[0], SECRET)).isEqualTo(EMPTY_MESSAGE);
  }

  private static final String UMLAUTS_BODY =
      "sha256=7a1d63062aeef8760cfc35ef90526e8cff2ead381315257b3119e24fdfba1cde";
  private static final String EMPTY_MESSAGE = "v1,ZyVG66Mr75yBcUDUg3OFSwOBLDdB73ytHZQLL4wzqLI=";

  @Test
  void aRotationIsSignedWithBothWhereThereIsRoom() {
    WebhookSecret next = secret("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    List<Field> fields = WebhookSignature.fields(EVENT, 1_764_000_000, BODY, List.of(next, SECRET));
    assertThat(fields)
        .containsExactly(
            new Field(
                "x-llm-signature",
                "sha256=4685c9d16f64a759d47846eae0e4f6c75bedef25470e9a0e099c5a56f2f5571f"),
            new Field("webhook-id", EVENT.toString()),
            new Field("webhook-timestamp", "1764000000"),
            new Field(
                "webhook-signature",
                "v1,LNw0y9KNoQGUZoTBPPe9JjFh7LQdZADEVfHB/NrVsoU= v1,kb613R1MoRN/6FUGYxFpL9fhvej3XkT4W+HreIOEkqA="));
  }

  @Test
  void theSecretIsShownWhereItIsAskedForAndNowhereElse() {
    assertThat(SECRET.reveal()).isEqualTo("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    assertThat(SECRET).hasToString("***");
  }

  @Test
  void aSecretKeepsToWhatReceiversTake() {
    assertThat(new WebhookSecret(new byte[64]).reveal()).hasSize(6 + 88);
    for (int length : new int[] {0, 23, 65}) {
      assertThatThrownBy(() -> new WebhookSecret(new byte[length]))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aSecretIsACopy() {
    byte[] bytes = HexFormat.of().parseHex("00".repeat(32));
    var secret = new WebhookSecret(bytes);
    String before = secret.reveal();
    Arrays.fill(bytes, (byte) 1);
    assertThat(secret.reveal()).isEqualTo(before);
  }
}
