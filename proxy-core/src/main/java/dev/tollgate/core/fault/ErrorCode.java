package dev.tollgate.core.fault;

import static dev.tollgate.core.fault.ErrorType.AUTHENTICATION_ERROR;
import static dev.tollgate.core.fault.ErrorType.CONFLICT_ERROR;
import static dev.tollgate.core.fault.ErrorType.INTERNAL_ERROR;
import static dev.tollgate.core.fault.ErrorType.INVALID_REQUEST_ERROR;
import static dev.tollgate.core.fault.ErrorType.NOT_FOUND_ERROR;
import static dev.tollgate.core.fault.ErrorType.PERMISSION_ERROR;
import static dev.tollgate.core.fault.ErrorType.PROVIDER_ERROR;
import static dev.tollgate.core.fault.ErrorType.QUOTA_ERROR;
import static dev.tollgate.core.fault.ErrorType.RATE_LIMIT_ERROR;
import static dev.tollgate.core.fault.ErrorType.TIMEOUT_ERROR;

import java.util.Locale;

/**
 * Code of an API error, with its HTTP status, type and retry advice
 * (docs/decisions/errors.md#codes).
 */
public enum ErrorCode {
  INVALID_JSON(400, INVALID_REQUEST_ERROR, ClientRetry.NO),
  VALIDATION_FAILED(400, INVALID_REQUEST_ERROR, ClientRetry.NO),
  IDEMPOTENCY_KEY_REQUIRED(400, INVALID_REQUEST_ERROR, ClientRetry.NO),
  SSRF_BLOCKED(400, INVALID_REQUEST_ERROR, ClientRetry.NO),
  INVALID_API_KEY(401, AUTHENTICATION_ERROR, ClientRetry.NO),
  KEY_EXPIRED(401, AUTHENTICATION_ERROR, ClientRetry.NO),
  KEY_DISABLED(401, AUTHENTICATION_ERROR, ClientRetry.NO),
  KEY_REVOKED(401, AUTHENTICATION_ERROR, ClientRetry.NO),
  INVALID_CREDENTIALS(401, AUTHENTICATION_ERROR, ClientRetry.NO),
  UNAUTHENTICATED(401, AUTHENTICATION_ERROR, ClientRetry.NO),
  INSUFFICIENT_CREDITS(402, QUOTA_ERROR, ClientRetry.NO),
  BUDGET_EXCEEDED(402, QUOTA_ERROR, ClientRetry.NO),
  SPENDING_LIMIT_EXCEEDED(402, QUOTA_ERROR, ClientRetry.NO),
  IP_NOT_ALLOWED(403, PERMISSION_ERROR, ClientRetry.NO),
  MODEL_NOT_ALLOWED(403, PERMISSION_ERROR, ClientRetry.NO),
  MODALITY_NOT_ALLOWED(403, PERMISSION_ERROR, ClientRetry.NO),
  ACCOUNT_DISABLED(403, PERMISSION_ERROR, ClientRetry.NO),
  CSRF_FAILED(403, PERMISSION_ERROR, ClientRetry.NO),
  EMAIL_NOT_VERIFIED(403, PERMISSION_ERROR, ClientRetry.NO),
  FORBIDDEN(403, PERMISSION_ERROR, ClientRetry.NO),
  MODEL_NOT_FOUND(404, NOT_FOUND_ERROR, ClientRetry.NO),
  NOT_FOUND(404, NOT_FOUND_ERROR, ClientRetry.NO),
  IDEMPOTENCY_CONFLICT(409, CONFLICT_ERROR, ClientRetry.WITH_RETRY_AFTER_ONLY),
  JOB_NOT_CANCELLABLE(409, CONFLICT_ERROR, ClientRetry.NO),
  CONFLICT(409, CONFLICT_ERROR, ClientRetry.NO),
  MAX_API_KEYS_REACHED(409, CONFLICT_ERROR, ClientRetry.NO),
  REQUEST_TOO_LARGE(413, INVALID_REQUEST_ERROR, ClientRetry.NO),
  UNSUPPORTED_MEDIA_TYPE(415, INVALID_REQUEST_ERROR, ClientRetry.NO),
  RATE_LIMITED(429, RATE_LIMIT_ERROR, ClientRetry.YES),
  TOKENS_PER_MINUTE_EXCEEDED(429, RATE_LIMIT_ERROR, ClientRetry.YES),
  CONCURRENCY_EXCEEDED(429, RATE_LIMIT_ERROR, ClientRetry.YES),
  PROVIDER_RATE_LIMITED(429, RATE_LIMIT_ERROR, ClientRetry.YES),
  INTERNAL_FAILURE("internal_error", 500, INTERNAL_ERROR, ClientRetry.YES),
  NOT_IMPLEMENTED(501, INVALID_REQUEST_ERROR, ClientRetry.NO),
  NOT_CONFIGURED(501, INVALID_REQUEST_ERROR, ClientRetry.NO),
  PROVIDER_FAILURE("provider_error", 502, PROVIDER_ERROR, ClientRetry.YES),
  PROVIDER_DISCONNECT(502, PROVIDER_ERROR, ClientRetry.YES),
  STREAM_INTERRUPTED(502, PROVIDER_ERROR, ClientRetry.YES),
  NO_PROVIDER_AVAILABLE(503, PROVIDER_ERROR, ClientRetry.YES),
  PROVIDER_UNAVAILABLE(503, PROVIDER_ERROR, ClientRetry.YES),
  SERVICE_UNAVAILABLE(503, INTERNAL_ERROR, ClientRetry.YES),
  PROVIDER_TIMEOUT(504, TIMEOUT_ERROR, ClientRetry.YES);

  /** Advice to clients on retrying a request that failed with a code. */
  public enum ClientRetry {
    YES,
    NO,
    WITH_RETRY_AFTER_ONLY
  }

  private final String wire;
  private final int status;
  private final ErrorType type;
  private final ClientRetry clientRetry;

  ErrorCode(int status, ErrorType type, ClientRetry clientRetry) {
    this.wire = name().toLowerCase(Locale.ROOT);
    this.status = status;
    this.type = type;
    this.clientRetry = clientRetry;
  }

  ErrorCode(String wire, int status, ErrorType type, ClientRetry clientRetry) {
    this.wire = wire;
    this.status = status;
    this.type = type;
    this.clientRetry = clientRetry;
  }

  /** Returns the stable code on the wire, such as {@code validation_failed}. */
  public String wire() {
    return wire;
  }

  /** Returns the HTTP status. */
  public int status() {
    return status;
  }

  public ErrorType type() {
    return type;
  }

  public ClientRetry clientRetry() {
    return clientRetry;
  }
}
