package dev.tollgate.core.job;

import dev.tollgate.core.fault.ErrorCode;

/**
 * Error code and message of a failed media job.
 *
 * @param message human-readable text without secrets
 */
public record JobFailure(String code, String message) {
  public static JobFailure of(ErrorCode code, String message) {
    return new JobFailure(code.wire(), message);
  }
}
