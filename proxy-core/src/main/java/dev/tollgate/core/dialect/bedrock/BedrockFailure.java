package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.dialect.ErrorBody;
import dev.tollgate.core.dialect.ErrorKinds;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Classifies Bedrock's errors; a known AWS error type is more precise than the HTTP status. */
final class BedrockFailure {
  private BedrockFailure() {}

  /**
   * @param status 0 within a stream
   * @param type AWS's error type, possibly followed by a colon and a URL
   */
  static UpstreamFailure of(int status, int retryAfter, @Nullable String type, ErrorBody error) {
    String name = type == null ? "" : type.split(":", 2)[0].strip();
    return new UpstreamFailure(
        kind(status, name.toLowerCase(Locale.ROOT), error),
        status,
        error.message(),
        null,
        name.isEmpty() ? null : name,
        retryAfter);
  }

  private static Kind kind(int status, String type, ErrorBody error) {
    return switch (type) {
      case "throttlingexception",
          "toomanyrequestsexception",
          "servicequotaexceededexception",
          "modelnotreadyexception" ->
          Kind.RATE_LIMITED;
      case "modelerrorexception",
          "modelstreamerrorexception",
          "modeltimeoutexception",
          "internalserverexception",
          "serviceunavailableexception" ->
          Kind.SERVER_ERROR;
      case "unrecognizedclientexception",
          "expiredtokenexception",
          "invalidsignatureexception",
          "incompletesignatureexception",
          "missingauthenticationtokenexception" ->
          Kind.CREDENTIAL_REFUSED;
      case "resourcenotfoundexception" -> Kind.MODEL_MISSING;
      case "accessdeniedexception" -> kindOfDenial(error);
      case "validationexception" -> ErrorKinds.of(400, error);
      default -> status > 0 ? ofStatus(status, error) : Kind.SERVER_ERROR;
    };
  }

  private static Kind ofStatus(int status, ErrorBody error) {
    return switch (status) {
      case 400 -> ErrorKinds.of(400, error);
      case 403 -> kindOfDenial(error);
      case 424 -> Kind.SERVER_ERROR; // the model's own failure
      default -> ErrorKinds.of(status, error);
    };
  }

  /**
   * Classifies a denial. Permissions are granted by model and by operation: the key is valid for
   * others, unless the message names the key itself. No request of a client may retire a key.
   */
  private static Kind kindOfDenial(ErrorBody error) {
    if (error.containsAny("did not allow prompt caching")) {
      return Kind.REJECTED;
    }
    if (error.containsAny("is not authorized to perform")) {
      boolean anything = error.containsAny("to perform: bedrock:callwithbearertoken");
      return anything ? Kind.CREDENTIAL_REFUSED : Kind.MODEL_MISSING;
    }
    boolean ofTheKey =
        error.message().isEmpty()
            || error.containsAny(
                "api key",
                "token",
                "signature",
                "credential",
                "authentication",
                "access key",
                "your account");
    boolean ofTheModel = error.beginsWithAny("you don't have access to the model");
    return ofTheKey && !ofTheModel ? Kind.CREDENTIAL_REFUSED : Kind.MODEL_MISSING;
  }
}
