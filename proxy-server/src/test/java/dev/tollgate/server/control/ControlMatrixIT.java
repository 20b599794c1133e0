package dev.tollgate.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.RawResponse;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The authorization matrix: each of its calls by each caller. Failures are collected, so that one
 * run shows all of them.
 */
@Tag("corpus")
final class ControlMatrixIT {
  private static final List<MatrixRow> ROWS = MatrixRow.served(Corpora.rows("data/control.tsv"));

  private static ControlNode node;

  private final List<String> wrong = new ArrayList<>();

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    node = ControlNode.start(folder);
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @AfterEach
  void nothingWasWrong() {
    assertThat(wrong).isEmpty();
  }

  @Test
  void eachCallerGetsTheStatusOfTheMatrix() throws Exception {
    for (MatrixRow row : ROWS) {
      for (MatrixCaller caller : MatrixCaller.values()) {
        check(row, caller);
      }
    }
  }

  /** The call is marked unless a caller has credentials that browsers do not send by themselves. */
  @Test
  void unmarkedChangesAreRefused() throws Exception {
    for (MatrixRow row : ROWS.stream().filter(MatrixRow::csrf).toList()) {
      for (MatrixCaller caller : MatrixCaller.values()) {
        String expected = caller.isToken() ? expected(row, caller) : "403 csrf_failed";
        check(
            row,
            caller,
            expected,
            () -> node.sendUnmarked(row, caller, row.body(), node.credentials(caller)));
      }
    }
  }

  @Test
  void anOldProofIsNotEnough() throws Exception {
    for (MatrixRow row : ROWS.stream().filter(MatrixRow::reauth).toList()) {
      for (MatrixCaller caller : MatrixCaller.values()) {
        if (caller.isPerson()) {
          String expected =
              row.isAllowed(caller)
                  ? "403 forbidden reauthentication_required"
                  : expected(row, caller);
          check(
              row,
              caller,
              expected,
              () -> node.send(row, caller, row.body(), ControlNode.oldCredentials(caller)));
        }
      }
    }
  }

  @Test
  void unknownMembersAreRefused() throws Exception {
    for (MatrixRow row : ROWS) {
      String body = row.body();
      if (body != null) {
        MatrixCaller caller = row.someoneAllowed();
        String more =
            body.equals("{}") ? "{\"surprise\":1}" : "{\"surprise\":1," + body.substring(1);
        RawResponse response =
            check(
                row,
                caller,
                "400 validation_failed",
                () -> node.send(row, caller, more, node.credentials(caller)));
        if (response != null && !response.text().contains("\"param\":\"surprise\"")) {
          wrong.add(row.id() + ": the parameter is not named: " + response.text());
        }
      }
    }
  }

  @Test
  void keysOfTheApiAreNoCredentialsHere() throws Exception {
    List<String> key = List.of("Authorization: Bearer " + node.gateway().key());
    for (MatrixRow row : ROWS.stream().filter(each -> !each.isPublic()).toList()) {
      MatrixCaller caller = MatrixCaller.OWNER;
      check(row, caller, "401 unauthenticated", () -> node.send(row, caller, row.body(), key));
    }
  }

  private void check(MatrixRow row, MatrixCaller caller) throws SQLException {
    var _ = check(row, caller, expected(row, caller), () -> node.send(row, caller));
  }

  private @Nullable RawResponse check(
      MatrixRow row, MatrixCaller caller, String expected, Call call) throws SQLException {
    RawResponse response = tried(row, caller, call);
    if (response == null) {
      node.rows().restore();
      return null;
    }
    compare(row, caller, expected, response);
    afterwards(row, caller, response);
    return response;
  }

  private static String expected(MatrixRow row, MatrixCaller caller) {
    return row.status(caller) + " " + MatrixRefusal.of(row, caller);
  }

  private interface Call {
    RawResponse send();
  }

  /** Sends a call; null if its answer is not as every answer must be. */
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
