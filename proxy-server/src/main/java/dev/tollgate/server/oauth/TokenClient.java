package dev.tollgate.server.oauth;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.upstream.CollectedCalls;
import dev.tollgate.core.upstream.CollectedCalls.Call;
import dev.tollgate.core.upstream.CollectedCalls.CallResult;
import dev.tollgate.server.settings.value.ServiceAccount;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/**
 * Blocking HTTP client that exchanges a signed assertion of a service account for an OAuth access
 * token. It must not be called on an event loop.
 */
public final class TokenClient {
  private static final int REPLY_BYTES_MAX = 64 * 1024;
  private static final Duration TIME_MAX = Duration.ofSeconds(10);
  private static final long LIFETIME_SECONDS_DEFAULT = 3_600;

  private final Duration timeMax;
  private final CollectedCalls calls;
  private final Function<URI, EndpointIdentity> endpoints;

  /**
   * @param endpoints returns how a URL is reached
   */
  public TokenClient(CollectedCalls calls, Function<URI, EndpointIdentity> endpoints) {
    this(calls, endpoints, TIME_MAX);
  }

  TokenClient(CollectedCalls calls, Function<URI, EndpointIdentity> endpoints, Duration timeMax) {
    this.calls = calls;
    this.endpoints = endpoints;
    this.timeMax = timeMax;
  }

  /** Access token that the endpoint issued, with its remaining lifetime. */
  public record Granted(Secret token, Duration lifetime) {}

  /**
   * Thrown if the token was refused or the endpoint did not answer; the message gives the reason
   * without a secret.
   */
  public static final class TokenException extends Exception {
    private static final long serialVersionUID = 1;

    TokenException(String message) {
      super(message, null, false, false);
    }
  }

  public Granted requestToken(ServiceAccount account, Instant now)
      throws TokenException, InterruptedException {
    String host = account.tokenUri().getHost();
    return switch (send(account, now)) {
      case CallResult.Answered(var head, var body) -> read(head.status(), body);
      case CallResult.NotConnected no ->
          throw new TokenException("cannot reach " + host + ": " + no.reason());
      case CallResult.Failed failed ->
          throw new TokenException("no token from " + host + ": " + failed.reason());
    };
  }

  private CallResult send(ServiceAccount account, Instant now)
      throws TokenException, InterruptedException {
    try {
      return calls.begin(call(account.tokenUri(), JwtAssertion.of(account, now))).get();
    } catch (GeneralSecurityException e) {
      throw new TokenException("cannot sign: " + e.getMessage());
    } catch (ExecutionException e) {
      throw new TokenException("cannot ask: " + e.getCause());
    }
  }

  private Call call(URI uri, String assertion) {
    String form =
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + assertion;
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    return new Call(
        endpoints.apply(uri),
        "POST",
        uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery(),
        List.of(new Field("content-type", "application/x-www-form-urlencoded")),
        form.getBytes(US_ASCII),
        REPLY_BYTES_MAX,
        timeMax,
        timeMax);
  }

  private static Granted read(int status, byte[] body) throws TokenException {
    try {
      JsonMembers members = JsonMembers.of(body, 0, body.length);
      String token = text(members, "access_token");
      if (status == 200 && !token.isEmpty()) {
        int lifetime = members.indexOf("expires_in");
        long seconds =
            lifetime < 0
                ? LIFETIME_SECONDS_DEFAULT
                : members.integer(lifetime, LIFETIME_SECONDS_DEFAULT);
        return new Granted(new Secret(token), Duration.ofSeconds(Math.max(1, seconds)));
      }
      String error = (text(members, "error") + " " + text(members, "error_description")).strip();
      throw new TokenException("refused with " + status + ": " + error);
    } catch (InvalidJson e) {
      throw new TokenException("answered " + status + " without a token");
    }
  }

  private static String text(JsonMembers members, String name) {
    int i = members.indexOf(name);
    return i >= 0 && members.kind(i) == JsonKind.STRING ? members.string(i) : "";
  }
}
