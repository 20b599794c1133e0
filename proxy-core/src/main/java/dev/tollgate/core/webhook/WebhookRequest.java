package dev.tollgate.core.webhook;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.http.Field;
import java.util.ArrayList;
import java.util.List;

/**
 * Body and header fields of the HTTP request that delivers one webhook event to its receiver.
 * Immutable.
 */
public final class WebhookRequest {
  private final List<Field> fields;
  private final byte[] body;

  private WebhookRequest(List<Field> fields, byte[] body) {
    this.fields = List.copyOf(fields);
    this.body = body;
  }

  public List<Field> fields() {
    return fields;
  }

  /** Returns {@code {"event":…,"job":…}}; callers must not change it. */
  public byte[] body() {
    return body;
  }

  /**
   * Creates the request that reports a finished job.
   *
   * @param job the job as the API shows it, a JSON object
   */
  public static WebhookRequest of(ClaimedEvent claimed, byte[] job, long epochSeconds) {
    byte[] body = body(claimed.event(), job);
    List<Field> fields = new ArrayList<>();
    fields.add(new Field("content-type", "application/json"));
    fields.add(new Field("x-request-id", claimed.request().value()));
    fields.addAll(WebhookSignature.fields(claimed.id(), epochSeconds, body, claimed.secrets()));
    return new WebhookRequest(fields, body);
  }

  private static byte[] body(String event, byte[] job) {
    byte[] head = ("{\"event\":\"" + event + "\",\"job\":").getBytes(US_ASCII);
    byte[] body = new byte[head.length + job.length + 1];
    System.arraycopy(head, 0, body, 0, head.length);
    System.arraycopy(job, 0, body, head.length, job.length);
    body[body.length - 1] = '}';
    return body;
  }
}
