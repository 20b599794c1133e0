package dev.tollgate.core.api;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.Param;
import java.util.ArrayList;
import java.util.List;

/** The issues found in one request, in the order in which they are reported. */
public final class Issues {
  // A hostile body could hold a million wrong elements; a person reads the first few.
  private static final int ISSUES_MAX = 32;

  private final List<Fault.Issue> found = new ArrayList<>();

  public void add(Param param, String message) {
    if (!isFull()) {
      add(param.toString(), message);
    }
  }

  public void add(String param, String message) {
    if (!isFull()) {
      found.add(new Fault.Issue(param, message));
    }
  }

  /** Adds that a list which we must read is too long for that; says whether it is. */
  public boolean addIfCut(JsonItems list, Param param) {
    if (list.isCut()) {
      add(param, "must not have more than 65,536 items");
    }
    return list.isCut();
  }

  /** Whether looking on is of no use: nothing more is reported. */
  public boolean isFull() {
    return found.size() == ISSUES_MAX;
  }

  public boolean isEmpty() {
    return found.isEmpty();
  }

  public Fault toFault() {
    return Fault.invalid(found);
  }
}
