package dev.tollgate.server.control;

import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.RawResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The authorization matrix: each of its calls by each caller. */
@Tag("corpus")
final class ControlMatrixIT {
  private static final List<MatrixRow> ROWS = MatrixRow.served(Corpora.rows("data/control.tsv"));

  private static ControlNode node;

  private MatrixWalk walk;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    node = ControlNode.start(folder);
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @BeforeEach
  void begin() {
    walk = new MatrixWalk(node);
  }

  @AfterEach
  void nothingWasWrong() {
    walk.requireNothingWrong();
  }

  @Test
  void eachCallerGetsTheStatusOfTheMatrix() throws Exception {
    walk.all(ROWS);
  }

  /** The call is marked unless a caller has credentials that browsers do not send by themselves. */
  @Test
  void unmarkedChangesAreRefused() throws Exception {
    for (MatrixRow row : ROWS.stream().filter(MatrixRow::csrf).toList()) {
      for (MatrixCaller caller : MatrixCaller.values()) {
        String expected = caller.isToken() ? MatrixWalk.expected(row, caller) : "403 csrf_failed";
        var _ =
            walk.check(
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
              isProofAsked(row, caller)
                  ? "403 forbidden reauthentication_required"
                  : MatrixWalk.expected(row, caller);
          var _ =
              walk.check(
                  row,
                  caller,
                  expected,
                  () -> node.send(row, caller, row.body(), ControlNode.oldCredentials(caller)));
        }
      }
    }
  }

  /**
   * The role that the route needs is asked for before the proof; behind it are whether the
   * organization is suspended, and the rights that depend on the object.
   */
  private static boolean isProofAsked(MatrixRow row, MatrixCaller caller) {
    boolean isSuspended = caller == MatrixCaller.SUSPENDED_OWNER;
    return row.isAllowed(isSuspended ? MatrixCaller.OWNER : caller)
        || ROWS.stream().anyMatch(other -> other.hasRouteOf(row) && other.isAllowed(caller));
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
            walk.check(
                row,
                caller,
                "400 validation_failed",
                () -> node.send(row, caller, more, node.credentials(caller)));
        if (response != null && !response.text().contains("\"param\":\"surprise\"")) {
          walk.wrong(row, "the parameter is not named: " + response.text());
        }
      }
    }
  }

  @Test
  void keysOfTheApiAreNoCredentialsHere() throws Exception {
    List<String> key = List.of("Authorization: Bearer " + node.gateway().key());
    for (MatrixRow row : ROWS.stream().filter(each -> !each.isPublic()).toList()) {
      MatrixCaller caller = MatrixCaller.OWNER;
      var _ =
          walk.check(
              row, caller, "401 unauthenticated", () -> node.send(row, caller, row.body(), key));
    }
  }
}
