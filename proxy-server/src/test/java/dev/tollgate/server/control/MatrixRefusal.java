package dev.tollgate.server.control;

/** Code and reason with which a cell of the authorization matrix refuses. */
final class MatrixRefusal {
  private MatrixRefusal() {}

  /**
   * Returns the code, and the reason behind a space if there is one; empty if the call succeeds.
   */
  static String of(MatrixRow row, MatrixCaller caller) {
    return switch (row.status(caller)) {
      case 401 -> "unauthenticated";
      case 403 -> forbidden(row, caller);
      case 404 -> "not_found";
      default -> "";
    };
  }

  private static String forbidden(MatrixRow row, MatrixCaller caller) {
    if (caller == MatrixCaller.DISABLED && row.status(MatrixCaller.ANONYMOUS) != 403) {
      return "account_disabled";
    }
    boolean isAllowedOtherwise = row.isAllowed(caller.unrestricted());
    if (caller == MatrixCaller.SUSPENDED_OWNER && isAllowedOtherwise) {
      return "forbidden organization_suspended";
    }
    return caller.isToken() && isForPeople(row, isAllowedOtherwise)
        ? "forbidden not_a_person"
        : "forbidden";
  }

  /** True if a token is refused because it is one. */
  private static boolean isForPeople(MatrixRow row, boolean isAllowedOtherwise) {
    boolean mayNoToken =
        !row.isAllowed(MatrixCaller.TOKEN_ADMIN) && !row.isAllowed(MatrixCaller.TOKEN_OPERATOR);
    boolean mayAnyPerson =
        row.isAllowed(MatrixCaller.OWNER) || row.isAllowed(MatrixCaller.OPERATOR);
    boolean isOfOperators = row.path().startsWith("/api/v1/operator");
    return isAllowedOtherwise || (mayNoToken && mayAnyPerson && !isOfOperators);
  }
}
