package dev.tollgate.core.dialect.openai;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.EmbeddingTranslation;
import dev.tollgate.core.dialect.ReplyTranslation;
import dev.tollgate.core.dialect.RetryAfter;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import java.net.URLEncoder;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Dialect of OpenAI's API on Azure, where each deployment has a URL of its own. The API version
 * follows the URL, and the key has a header field of its own.
 */
public final class AzureDialect implements Dialect {
  public static final AzureDialect INSTANCE = new AzureDialect();

  /** Placeholder of the deployment's name in the configured path. */
  private static final String DEPLOYMENT = "{deployment}";

  private static final String DEPLOYMENTS = "/deployments/";
  private static final String VERSION_ONE = "/openai/v1";
  private static final Pattern WAIT = Pattern.compile("retry after (\\d{1,6}) seconds?");

  private AzureDialect() {}

  @Override
  public String target(Operation operation, Route route, boolean stream) {
    Provider provider = route.provider();
    String deployment = URLEncoder.encode(route.upstreamModel(), UTF_8).replace("+", "%20");
    return provider.basePath().replace(DEPLOYMENT, deployment)
        + OpenAiDialect.path(operation)
        + provider.quirks().query();
  }

  @Override
  public Optional<String> credentialCheck(Provider provider) {
    String base = provider.basePath();
    int deployments = base.indexOf(DEPLOYMENTS);
    if (deployments >= 0) {
      return Optional.of(base.substring(0, deployments) + "/models" + provider.quirks().query());
    }
    return base.endsWith(VERSION_ONE) ? Optional.of(base + "/models") : Optional.empty();
  }

  @Override
  public List<Field> fields() {
    return List.of();
  }

  @Override
  public List<Field> authorization(Secret credential) {
    return List.of(new Field("api-key", credential.reveal()));
  }

  /** Classifies an error; the message of a 429 without the field states the wait. */
  @Override
  public UpstreamFailure failure(int status, Headers headers, byte[] body, int length) {
    UpstreamFailure failure = OpenAiDialect.INSTANCE.failure(status, headers, body, length);
    Matcher wait = WAIT.matcher(failure.message());
    return status == 429 && failure.retryAfterSeconds() == 0 && wait.find()
        ? failure.withRetryAfter(RetryAfter.seconds(wait.group(1)))
        : failure;
  }

  @Override
  public UpstreamFailure failureInside(byte[] json, int from, int to) {
    return OpenAiDialect.INSTANCE.failureInside(json, from, to);
  }

  @Override
  public Optional<ChatTranslation> translation() {
    return Optional.empty();
  }

  @Override
  public Optional<EmbeddingTranslation> embeddings() {
    return Optional.empty();
  }

  @Override
  public Optional<? extends ReplyTranslation> replies(Operation operation, Provider provider) {
    return OpenAiDialect.INSTANCE.replies(operation, provider);
  }
}
