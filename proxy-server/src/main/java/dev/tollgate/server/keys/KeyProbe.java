package dev.tollgate.server.keys;

import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.http.BodySha256;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.http.UnsignedRequest;
import dev.tollgate.server.oauth.TokenClient;
import dev.tollgate.server.oauth.TokenClient.TokenException;
import dev.tollgate.server.settings.value.HttpUrl;
import dev.tollgate.server.settings.value.ServiceAccount;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Result of probing, before a start, whether a provider accepts its configured API key: with a
 * request that costs nothing, or by fetching a token.
 */
public sealed interface KeyProbe {
  /** Timeout of a probe. */
  Duration TIME_MAX = Duration.ofSeconds(10);

  /** The provider accepts the key. */
  record Accepted(String detail) implements KeyProbe {}

  record Refused(String reason) implements KeyProbe {}

  /** The provider's answer does not show whether it accepts the key. */
  record Unknown(String reason) implements KeyProbe {}

  /** Probes a provider's key; blocks for some seconds at most. */
  static KeyProbe of(Provider provider, Credential credential) throws InterruptedException {
    return credential.token().isPresent()
        ? token(credential.key())
        : key(provider, credential.key());
  }

  private static KeyProbe token(Secret file) throws InterruptedException {
    try {
      ServiceAccount account = ServiceAccount.parse(file).orElseThrow(); // the loader checked it
      new TokenClient().requestToken(account, Instant.now());
      return new Accepted("access token fetched");
    } catch (TokenException e) {
      return new Refused("no access token: " + e.getMessage());
    }
  }

  private static KeyProbe key(Provider provider, Secret key) throws InterruptedException {
    Dialect dialect = Dialects.named(provider.dialect());
    Optional<String> target = dialect.credentialCheck(provider);
    if (target.isEmpty()) {
      return new Unknown("key not tried");
    }
    try (var client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIME_MAX)
            .build()) {
      HttpRequest request = request(provider, dialect, key, target.get());
      return read(dialect, client.send(request, BodyHandlers.ofByteArray()));
    } catch (IOException e) {
      return new Unknown("key not tried: " + e.getClass().getSimpleName());
    }
  }

  private static HttpRequest request(
      Provider provider, Dialect dialect, Secret key, String target) {
    var endpoint = provider.endpoint();
    var root = new HttpUrl(endpoint.tls(), endpoint.host(), endpoint.port(), "");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(root + target)).timeout(TIME_MAX).GET();
    dialect.fields().forEach(field -> request.setHeader(field.name(), field.value()));
    var call =
        new UnsignedRequest(
            "GET", target, endpoint.authority(), "", new BodySha256(List.of()), Instant.now());
    for (Field field : dialect.authorization(key, call)) {
      request.setHeader(field.name(), field.value());
    }
    provider.headers().forEach(request::setHeader);
    return request.build();
  }

  private static KeyProbe read(Dialect dialect, HttpResponse<byte[]> response) {
    int status = response.statusCode();
    if (status == 200) {
      return new Accepted("key accepted");
    }
    byte[] body = response.body();
    UpstreamFailure failure = dialect.failure(status, headers(response), body, body.length);
    return failure.kind() == Kind.CREDENTIAL_REFUSED
        ? new Refused("key refused with " + status)
        : new Unknown("key not verified: status " + status);
  }

  /** Some providers describe the error in headers. */
  private static Headers headers(HttpResponse<?> response) {
    List<String> all = new ArrayList<>();
    response
        .headers()
        .map()
        .forEach((name, values) -> values.forEach(value -> all.addAll(List.of(name, value))));
    return Headers.of(all.toArray(String[]::new));
  }
}
