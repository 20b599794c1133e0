package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.aws.AwsCredentials;
import dev.tollgate.core.aws.SigV4;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.EmbeddingTranslation;
import dev.tollgate.core.dialect.ErrorBody;
import dev.tollgate.core.dialect.RetryAfter;
import dev.tollgate.core.dialect.StreamFraming;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.http.UnsignedRequest;
import java.util.List;
import java.util.Optional;

/**
 * Dialect of Amazon Bedrock: Converse for chats and Titan for embeddings; requests are signed with
 * an AWS key or have an API key.
 */
public final class BedrockDialect implements Dialect {
  public static final BedrockDialect INSTANCE = new BedrockDialect();

  private static final Optional<ChatTranslation> CHATS = Optional.of(new BedrockChat());
  private static final Optional<EmbeddingTranslation> VECTORS =
      Optional.of(new BedrockEmbeddings());

  private BedrockDialect() {}

  @Override
  public String target(Operation operation, Route route, boolean stream) {
    String model = SigV4.encoded(route.upstreamModel(), false);
    String base = route.provider().basePath() + "/model/" + model;
    return switch (operation) {
      case CHAT -> base + (stream ? "/converse-stream" : "/converse");
      case EMBEDDING -> base + "/invoke";
      case COMPLETION, SPEECH, TRANSCRIPTION, IMAGE, IMAGE_EDIT ->
          throw new IllegalArgumentException("Bedrock has no " + operation); // the loader refused
    };
  }

  /** Returns the only target of this host that needs no model. */
  @Override
  public Optional<String> credentialCheck(Provider provider) {
    return Optional.of(provider.basePath() + "/async-invoke?maxResults=1");
  }

  @Override
  public StreamFraming framing() {
    return StreamFraming.FRAMES;
  }

  @Override
  public List<Field> fields() {
    return List.of();
  }

  @Override
  public List<Field> authorization(Secret credential) {
    return List.of(new Field("authorization", "Bearer " + credential.reveal()));
  }

  @Override
  public List<Field> authorization(Secret credential, UnsignedRequest call) {
    return AwsCredentials.of(credential)
        .map(keys -> new SigV4(keys, "bedrock").sign(call))
        .orElseGet(() -> authorization(credential));
  }

  @Override
  public boolean signs(Secret credential) {
    return AwsCredentials.of(credential).isPresent();
  }

  @Override
  public Optional<ChatTranslation> translation() {
    return CHATS;
  }

  @Override
  public Optional<EmbeddingTranslation> embeddings() {
    return VECTORS;
  }

  @Override
  public UpstreamFailure failure(int status, Headers headers, byte[] body, int length) {
    String type = headers.first("x-amzn-errortype");
    return BedrockFailure.of(status, RetryAfter.of(headers), type, ErrorBody.read(body, 0, length));
  }

  @Override
  public UpstreamFailure failureInside(byte[] json, int from, int to) {
    ErrorBody error = ErrorBody.read(json, from, to);
    return BedrockFailure.of(0, 0, error.type(), error);
  }
}
