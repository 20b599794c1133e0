package dev.tollgate.core.http;

/**
 * User event that {@link RequestDecoder} fires if a client's input ends in the middle of a
 * request's head or body.
 */
public enum TruncatedRequest {
  TRUNCATED_REQUEST
}
