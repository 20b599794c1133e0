package dev.tollgate.core.api;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.Param;
import java.util.ArrayList;
import java.util.List;

/** Collector of the validation issues of one request, in the order in which they are reported. */
public final class Issues {
  // A hostile body could hold a million wrong elements; a person reads the first few.
  private static final int ISSUES_MAX = 32;

  static final String TOO_MANY_ITEMS = "must not have more than 65,536 items";

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

  /** Reports a list that is too long to be read completely. Returns true if it is. */
  public boolean addIfCut(JsonItems list, Param param) {
    if (list.isCut()) {
      add(param, TOO_MANY_ITEMS);
    }
    return list.isCut();
  }

  /** True if further issues are not recorded, so that further checks are useless. */
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
