package dev.tollgate.server.account;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.fault.Fault.Issue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Thrown by services if a call is refused; it rolls a transaction back. It is expected, so it has
 * no stack trace.
 */
public final class Refused extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Fault fault;

  public Refused(Fault fault) {
    super(fault.message(), null, false, false);
    this.fault = fault;
  }

  public Fault fault() {
    return fault;
  }

  /** Returns a 401 for a call without valid credentials. */
  public static Refused unauthenticated() {
    return of(ErrorCode.UNAUTHENTICATED, "Sign in, or send a valid control token.");
  }

  /** Returns a 403 for a call whose principal lacks the permission. */
  public static Refused forbidden() {
    return of(ErrorCode.FORBIDDEN, "Your role does not allow this.");
  }

  public static Refused forbidden(RefusalReason reason) {
    return of(ErrorCode.FORBIDDEN, reason);
  }

  /** Returns a 409. */
  public static Refused conflict(RefusalReason reason) {
    return of(ErrorCode.CONFLICT, reason);
  }

  /** Returns a 409 for an object that is not in the state that the change needs. */
  public static Refused conflict(String message) {
    return of(ErrorCode.CONFLICT, message);
  }

  /** Returns a 409 for a change of a version that is not the current one. */
  public static Refused versionConflict(int currentVersion) {
    Map<String, Object> details =
        Map.of("reason", RefusalReason.VERSION.wire(), "current_version", currentVersion);
    return new Refused(
        Fault.of(ErrorCode.CONFLICT, RefusalReason.VERSION.message()).withDetails(details));
  }

  /** Returns a 404, the same for what does not exist and for what belongs to others. */
  public static Refused notFound() {
    return of(ErrorCode.NOT_FOUND, "There is no such object.");
  }

  /** Returns a 400 for one field. */
  public static Refused invalid(String param, String message) {
    return new Refused(Fault.invalid(param, message));
  }

  /** Returns a 400 for one field, with a reason. */
  public static Refused invalid(String param, RefusalReason reason) {
    Fault fault = Fault.invalid(param, reason.message());
    Map<String, Object> details = new HashMap<>(fault.details());
    details.put("reason", reason.wire());
    return new Refused(fault.withDetails(details));
  }

  public static Refused invalid(List<Issue> issues) {
    return new Refused(Fault.invalid(issues));
  }

  public static Refused of(ErrorCode code, String message) {
    return new Refused(Fault.of(code, message));
  }

  private static Refused of(ErrorCode code, RefusalReason reason) {
    return new Refused(
        Fault.of(code, reason.message()).withDetails(Map.of("reason", reason.wire())));
  }
}
