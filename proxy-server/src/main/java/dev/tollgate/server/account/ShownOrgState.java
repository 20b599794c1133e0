package dev.tollgate.server.account;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** State of an organization as it is shown: one that is closed is stored as suspended. */
public enum ShownOrgState {
  ACTIVE,
  SUSPENDED,
  CLOSED;

  /** Returns the names on the wire. */
  public static List<String> names() {
    return Arrays.stream(values()).map(each -> each.name().toLowerCase(Locale.ROOT)).toList();
  }
}
