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
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.http.UnsignedRequest;
import dev.tollgate.core.upstream.CollectedCalls;
import dev.tollgate.core.upstream.CollectedCalls.Call;
import dev.tollgate.core.upstream.CollectedCalls.CallResult;
import dev.tollgate.core.upstream.ConnectFault;
import dev.tollgate.server.oauth.TokenClient;
import dev.tollgate.server.oauth.TokenClient.TokenException;
import dev.tollgate.server.settings.value.ServiceAccount;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * Result of probing, before a start, whether a provider accepts its configured API key: with a
 * request that costs nothing, or by fetching a token.
 */
public sealed interface KeyProbe {
  /** Timeout of a probe. */
  Duration TIME_MAX = Duration.ofSeconds(10);

  /** Size limit of an answer; a list of models can be long. */
  int REPLY_BYTES_MAX = 4 << 20;

  /** The provider accepts the key. */
  record Accepted(String detail) implements KeyProbe {}

  record Refused(String reason) implements KeyProbe {}

  /** The provider's answer does not show whether it accepts the key. */
  record Unknown(String reason) implements KeyProbe {}

  /** There was no connection on which the key could be sent. */
  record NotConnected(ConnectFault fault, String reason) implements KeyProbe {}

  /** Probes a provider's key; blocks for some seconds at most. */
  static KeyProbe of(
      Provider provider, Credential credential, CollectedCalls calls, TokenClient tokens)
      throws InterruptedException {
    return credential.token().isPresent()
        ? token(credential.key(), tokens)
        : key(provider, credential.key(), calls);
  }

  private static KeyProbe token(Secret file, TokenClient tokens) throws InterruptedException {
    try {
      ServiceAccount account = ServiceAccount.parse(file).orElseThrow(); // the loader checked it
      tokens.requestToken(account, Instant.now());
      return new Accepted("access token fetched");
    } catch (TokenException e) {
      return new Refused("no access token: " + e.getMessage());
    }
  }

  private static KeyProbe key(Provider provider, Secret key, CollectedCalls calls)
      throws InterruptedException {
    Dialect dialect = Dialects.named(provider.dialect());
    Optional<String> target = dialect.credentialCheck(provider);
    if (target.isEmpty()) {
      return new Unknown("key not tried");
    }
    try {
      return switch (calls.begin(call(provider, dialect, key, target.get())).get()) {
        case CallResult.Answered(var head, var body) -> read(dialect, head, body);
        case CallResult.NotConnected no -> new NotConnected(no.fault(), no.reason());
        case CallResult.Failed failed -> new Unknown("key not tried: " + failed.reason());
      };
    } catch (ExecutionException e) {
      return new Unknown("key not tried: " + e.getCause());
    }
  }

  private static Call call(Provider provider, Dialect dialect, Secret key, String target) {
    Map<String, Field> fields = new LinkedHashMap<>();
    Consumer<Field> add = field -> fields.put(field.name().toLowerCase(Locale.ROOT), field);
    dialect.fields().forEach(add);
    var request =
        new UnsignedRequest(
            "GET",
            target,
            provider.endpoint().authority(),
            "",
            new BodySha256(List.of()),
            Instant.now());
    dialect.authorization(key, request).forEach(add);
    provider.headers().forEach((name, value) -> add.accept(new Field(name, value)));
    return new Call(
        provider.endpoint(),
        "GET",
        target,
        List.copyOf(fields.values()),
        new byte[0],
        REPLY_BYTES_MAX,
        provider.timeouts().connect(),
        TIME_MAX);
  }

  private static KeyProbe read(Dialect dialect, ResponseHead head, byte[] body) {
    int status = head.status();
    if (status == 200) {
      return new Accepted("key accepted");
    }
    UpstreamFailure failure = dialect.failure(status, head.headers(), body, body.length);
    return failure.kind() == Kind.CREDENTIAL_REFUSED
        ? new Refused("key refused with " + status)
        : new Unknown("key not verified: status " + status);
  }
}
