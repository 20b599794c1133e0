package dev.tollgate.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawResponse;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walk over rows of the authorization matrix. What is wrong is collected, so that one run shows all
 * of it.
 */
final class MatrixWalk {
  private final ControlNode node;
  private final List<String> wrong = new ArrayList<>();

  MatrixWalk(ControlNode node) {
    this.node = node;
  }

  void requireNothingWrong() {
    assertThat(wrong).isEmpty();
  }

  void wrong(MatrixRow row, String what) {
    wrong.add(row.id() + ": " + what);
  }

  /** Each row by each caller. */
  void all(List<MatrixRow> rows) throws SQLException {
    for (MatrixRow row : rows) {
      for (MatrixCaller caller : MatrixCaller.values()) {
        var _ = check(row, caller, expected(row, caller), () -> node.send(row, caller));
      }
    }
  }

  /** Sends a call; null if its answer is not as every answer must be. */
  @Nullable RawResponse check(MatrixRow row, MatrixCaller caller, String expected, Call call)
      throws SQLException {
    RawResponse response = tried(row, caller, call);
    if (response == null) {
      node.rows().restore();
      return null;
    }
    compare(row, caller, expected, response);
    afterwards(row, caller, response);
    return response;
  }

  /** Returns the status of a cell, with code and reason. */
  static String expected(MatrixRow row, MatrixCaller caller) {
    return row.status(caller) + " " + MatrixRefusal.of(row, caller);
  }

  /** A call. */
  interface Call {
    RawResponse send();
  }

  private @Nullable RawResponse tried(MatrixRow row, MatrixCaller caller, Call call) {
    try {
      return call.send();
    } catch (AssertionError e) {
      wrong.add(row.id() + " " + caller.column() + ": " + e.getMessage());
      return null;
    }
  }

  private void compare(MatrixRow row, MatrixCaller caller, String expected, RawResponse response) {
    String got =
        response.status() + " " + (response.status() < 400 ? "" : ControlAnswers.refusal(response));
    if (!got.equals(expected)) {
      String text = response.status() < 400 ? "" : " " + response.text();
      wrong.add(
          "%s %s: expected %s, got %s%s".formatted(row.id(), caller.column(), expected, got, text));
    }
  }

  /** A refused call and a read change nothing; what another one changed is put back. */
  private void afterwards(MatrixRow row, MatrixCaller caller, RawResponse response)
      throws SQLException {
    boolean mayChange = response.status() < 400 && !row.isRead();
    List<String> changed = node.rows().changed();
    if (!mayChange && !changed.isEmpty()) {
      wrong.add("%s %s changed %s".formatted(row.id(), caller.column(), changed));
    }
    if (mayChange || !changed.isEmpty()) {
      node.rows().restore();
    }
  }
}
