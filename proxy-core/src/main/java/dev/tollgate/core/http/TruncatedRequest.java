package dev.tollgate.core.http;

/**
 * The user event fired, ahead of the end of input itself, when a client's input ended in the middle
 * of a request's head or body.
 */
public enum TruncatedRequest {
  TRUNCATED_REQUEST
}
