package dev.tollgate.core.http;

/**
 * User event before the end of input itself, if a client's input ended in the middle of a request's
 * head or body.
 */
public enum TruncatedRequest {
  TRUNCATED_REQUEST
}
