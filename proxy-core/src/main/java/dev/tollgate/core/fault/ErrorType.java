package dev.tollgate.core.fault;

import java.util.Locale;

/**
 * Category of an API error, which clients get as {@code error.type}
 * (docs/decisions/errors.md#envelope).
 */
public enum ErrorType {
  INVALID_REQUEST_ERROR,
  AUTHENTICATION_ERROR,
  PERMISSION_ERROR,
  RATE_LIMIT_ERROR,
  QUOTA_ERROR,
  NOT_FOUND_ERROR,
  CONFLICT_ERROR,
  PROVIDER_ERROR,
  TIMEOUT_ERROR,
  INTERNAL_ERROR;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** Returns the name on the wire, such as {@code invalid_request_error}. */
  public String wire() {
    return wire;
  }
}
