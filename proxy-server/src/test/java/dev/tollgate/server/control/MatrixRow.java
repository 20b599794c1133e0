package dev.tollgate.server.control;

import dev.tollgate.server.control.route.Route;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Row of the authorization matrix: a well-formed call, and its status for each caller.
 *
 * @param path target with placeholders in braces
 * @param body with placeholders; null: none
 */
record MatrixRow(
    String id,
    String method,
    String path,
    boolean csrf,
    boolean reauth,
    Map<MatrixCaller, Integer> statuses,
    @Nullable String body) {
  private static final int FIRST_STATUS = 5;

  /** Row of an unknown path, which has no route. */
  private static final String UNKNOWN_PATH = "M5";

  private static final Set<String> SERVED =
      Arrays.stream(Route.values())
          .flatMap(route -> route.spec().ids().stream())
          .collect(Collectors.toUnmodifiableSet());

  static MatrixRow of(String[] cells) {
    Map<MatrixCaller, Integer> statuses = new EnumMap<>(MatrixCaller.class);
    int cell = FIRST_STATUS;
    for (MatrixCaller caller : MatrixCaller.values()) {
      statuses.put(caller, Integer.valueOf(cells[cell]));
      cell++;
    }
    String body = cells[cell];
    return new MatrixRow(
        cells[0],
        cells[1],
        cells[2],
        cells[3].equals("y"),
        cells[4].equals("y"),
        statuses,
        body.isEmpty() ? null : body);
  }

  /** Returns the rows of a table whose calls are answered. */
  static List<MatrixRow> served(List<String[]> table) {
    return table.stream().map(MatrixRow::of).filter(MatrixRow::isServed).toList();
  }

  private boolean isServed() {
    return SERVED.contains(id) || id.equals(UNKNOWN_PATH);
  }

  int status(MatrixCaller caller) {
    return statuses.getOrDefault(caller, 0);
  }

  boolean isAllowed(MatrixCaller caller) {
    return status(caller) < 400;
  }

  /** True if one route answers this row and another. */
  boolean hasRouteOf(MatrixRow other) {
    return Arrays.stream(Route.values())
        .map(route -> route.spec().ids())
        .anyMatch(ids -> ids.contains(id) && ids.contains(other.id));
  }

  boolean isPublic() {
    return status(MatrixCaller.ANONYMOUS) != 401;
  }

  boolean isRead() {
    return method.equals("GET");
  }

  /** Returns a caller that may do the call; the owner if none may. */
  MatrixCaller someoneAllowed() {
    for (MatrixCaller each : List.of(MatrixCaller.OWNER, MatrixCaller.OPERATOR)) {
      if (isAllowed(each)) {
        return each;
      }
    }
    return MatrixCaller.OWNER;
  }
}
