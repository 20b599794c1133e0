package dev.tollgate.core.webhook;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.http.Field;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.crypto.Mac;

/**
 * Computes the signature header fields of a webhook request. {@code x-llm-signature} is keyed with
 * the secret as it is displayed, and the fields of Standard Webhooks are keyed with the decoded
 * bytes. Methods have no side effects.
 */
public final class WebhookSignature {
  private WebhookSignature() {}

  /**
   * Signs a body.
   *
   * @param secrets the newest first; older ones serve a rotation that receivers have not followed,
   *     and only Standard Webhooks has room for them
   */
  public static List<Field> fields(
      UUID event, long epochSeconds, byte[] body, List<WebhookSecret> secrets) {
    String id = event.toString();
    String time = Long.toString(epochSeconds);
    return List.of(
        new Field("x-llm-signature", ofBody(body, secrets.getFirst())),
        new Field("webhook-id", id),
        new Field("webhook-timestamp", time),
        new Field(
            "webhook-signature",
            secrets.stream()
                .map(secret -> ofMessage(id, time, body, secret))
                .collect(Collectors.joining(" "))));
  }

  /** Signs the body alone; without a time it does not protect from replays. */
  static String ofBody(byte[] body, WebhookSecret secret) {
    return "sha256=" + HexFormat.of().formatHex(secret.macKeyedByText().doFinal(body));
  }

  /** Signs the body with its id and the time of sending. */
  static String ofMessage(String id, String time, byte[] body, WebhookSecret secret) {
    Mac mac = secret.macKeyedByBytes();
    mac.update((id + "." + time + ".").getBytes(US_ASCII));
    return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
  }
}
