package dev.tollgate.core.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Cross-origin access of browsers: the origins whose pages may call the API, and the fields that
 * let a page read its replies (docs/decisions/operations.md#browsers). Instances are immutable.
 */
public final class Cors {
  /** Fields of our replies that a page may read beside those that browsers show anyway. */
  private static final String EXPOSED =
      "X-Request-Id, X-Client-Request-Id, X-LLM-Provider, X-LLM-Model, X-LLM-Routing-Reason,"
          + " X-LLM-Cost-Micro, X-LLM-Cost-Estimated, X-LLM-Dropped, Server-Timing,"
          + " Idempotent-Replayed, Retry-After, x-should-retry, x-ratelimit-limit-requests,"
          + " x-ratelimit-remaining-requests, x-ratelimit-reset-requests,"
          + " x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens,"
          + " WWW-Authenticate, Accept-Ranges, Content-Disposition, Content-Range";

  private static final String VARY = "Vary: Origin\r\n";
  private static final FieldLines OF_OTHERS = lines(VARY);

  private final Map<String, FieldLines> byOrigin;
  private final FieldLines ofPreflights;

  /**
   * @param origins as browsers send them: scheme, host and port, the last only if it is not the
   *     default
   * @param maxAge time for which a browser may keep the reply to a preflight
   */
  public Cors(Set<String> origins, Duration maxAge) {
    byOrigin = origins.stream().collect(Collectors.toUnmodifiableMap(each -> each, Cors::allowed));
    ofPreflights =
        lines(
            "Access-Control-Allow-Methods: GET, POST, DELETE\r\n"
                + ("Access-Control-Max-Age: " + maxAge.toSeconds() + "\r\n"));
  }

  private static FieldLines allowed(String origin) {
    return lines(
        "Access-Control-Allow-Origin: "
            + (origin + "\r\n" + VARY)
            + ("Access-Control-Expose-Headers: " + EXPOSED + "\r\n"));
  }

  private static FieldLines lines(String text) {
    byte[] bytes = text.getBytes(US_ASCII);
    return out -> out.writeBytes(bytes);
  }

  /**
   * Returns the fields that every reply to a request with these headers has. Without an allowed
   * origin they only keep caches from giving the reply to a page that may read it.
   */
  public FieldLines ofReplies(Headers request) {
    FieldLines allowed = ofAllowed(request);
    return allowed == null ? OF_OTHERS : allowed;
  }

  /**
   * Returns the further fields of the reply to a preflight of an allowed origin; empty for any
   * other request.
   */
  public List<FieldLines> ofPreflight(RequestHead head) {
    if (!head.method().equals("OPTIONS")
        || !head.headers().has("access-control-request-method")
        || ofAllowed(head.headers()) == null) {
      return List.of();
    }
    String wanted = head.headers().first("access-control-request-headers");
    return wanted == null
        ? List.of(ofPreflights)
        : List.of(ofPreflights, new Field("Access-Control-Allow-Headers", wanted));
  }

  private @Nullable FieldLines ofAllowed(Headers request) {
    int line = request.indexOf("origin");
    return line < 0 || request.count("origin") > 1 ? null : byOrigin.get(request.value(line));
  }
}
