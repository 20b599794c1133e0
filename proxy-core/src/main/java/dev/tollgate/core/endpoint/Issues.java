package dev.tollgate.core.endpoint;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.json.Param;
import java.util.ArrayList;
import java.util.List;

/** The issues found in one request, in the order in which they are reported. */
final class Issues {
  // A hostile body could hold a million wrong elements; a person reads the first few.
  private static final int ISSUES_MAX = 32;

  private final List<Fault.Issue> found = new ArrayList<>();

  void add(Param param, String message) {
    add(param.toString(), message);
  }

  void add(String param, String message) {
    if (found.size() < ISSUES_MAX) {
      found.add(new Fault.Issue(param, message));
    }
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  Fault toFault() {
    return Fault.invalid(found);
  }
}
