package dev.tollgate.core.job;

import dev.tollgate.core.fault.ErrorCode;

/**
 * Reason why a job failed.
 *
 * @param message for people; contains no secret
 */
public record JobFailure(String code, String message) {
  public static JobFailure of(ErrorCode code, String message) {
    return new JobFailure(code.wire(), message);
  }
}
