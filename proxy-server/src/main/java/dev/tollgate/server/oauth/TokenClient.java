package dev.tollgate.server.oauth;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.server.settings.value.ServiceAccount;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Blocking HTTP client that exchanges a signed assertion of a service account for an OAuth access
 * token. It must not be called on an event loop.
 */
public final class TokenClient {
  private static final Duration TIME_MAX = Duration.ofSeconds(10);
  private static final long LIFETIME_SECONDS_DEFAULT = 3_600;

  private final Duration timeMax;
  private final HttpClient client;

  public TokenClient() {
    this(TIME_MAX);
  }

  TokenClient(Duration timeMax) {
    this.timeMax = timeMax;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(timeMax)
            .build();
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
    try {
      String form =
          "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
              + JwtAssertion.of(account, now);
      HttpRequest request =
          HttpRequest.newBuilder(account.tokenUri())
              .header("content-type", "application/x-www-form-urlencoded")
              .POST(BodyPublishers.ofString(form))
              .build();
      return read(send(request));
    } catch (ExecutionException e) {
      throw new TokenException(
          "cannot reach " + account.tokenUri().getHost() + ": " + e.getCause());
    } catch (TimeoutException e) {
      throw new TokenException("timed out waiting for " + account.tokenUri().getHost());
    } catch (GeneralSecurityException e) {
      throw new TokenException("cannot sign: " + e.getMessage());
    }
  }

  /**
   * Sends a request with a time limit for the whole response: the timeout of the HTTP client covers
   * only the head, and one thread serves all accounts.
   */
  private HttpResponse<byte[]> send(HttpRequest request)
      throws InterruptedException, ExecutionException, TimeoutException {
    var reply = client.sendAsync(request, BodyHandlers.ofByteArray());
    try {
      return reply.get(timeMax.toMillis(), TimeUnit.MILLISECONDS);
    } finally {
      reply.cancel(true); // no effect on a completed response
    }
  }

  private static Granted read(HttpResponse<byte[]> response) throws TokenException {
    byte[] body = response.body();
    try {
      JsonMembers members = JsonMembers.of(body, 0, body.length);
      String token = text(members, "access_token");
      if (response.statusCode() == 200 && !token.isEmpty()) {
        int lifetime = members.indexOf("expires_in");
        long seconds =
            lifetime < 0
                ? LIFETIME_SECONDS_DEFAULT
                : members.integer(lifetime, LIFETIME_SECONDS_DEFAULT);
        return new Granted(new Secret(token), Duration.ofSeconds(Math.max(1, seconds)));
      }
      String error = (text(members, "error") + " " + text(members, "error_description")).strip();
      throw new TokenException("refused with " + response.statusCode() + ": " + error);
    } catch (InvalidJson e) {
      throw new TokenException("answered " + response.statusCode() + " without a token");
    }
  }

  private static String text(JsonMembers members, String name) {
    int i = members.indexOf(name);
    return i >= 0 && members.kind(i) == JsonKind.STRING ? members.string(i) : "";
  }
}
