package dev.tollgate.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.control.route.Route;
import dev.tollgate.server.control.route.RouteSpec;
import dev.tollgate.server.control.route.RouteSpec.Audience;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What requests cost the operator, which only operators are shown. */
@Tag("corpus")
final class OperatorCostIT {
  private static final List<MatrixRow> ROWS = MatrixRow.served(Corpora.rows("data/control.tsv"));
  private static final Set<MatrixCaller> OPERATORS =
      EnumSet.of(MatrixCaller.OPERATOR, MatrixCaller.TOKEN_OPERATOR);

  /** Digits of each operator's cost in the store and in the configuration, and of nothing else. */
  private static final String DIGITS = "987654321";

  @Test
  void noCallOfAnOrganizationShowsItAndThoseOfOperatorsDo(@TempDir Path folder) throws Exception {
    requireARowForEachRoute();
    try (ControlNode node = ControlNode.start(folder)) {
      record(node.rows());
      var walk = new MatrixWalk(node);
      for (MatrixRow row : ROWS) {
        for (MatrixCaller caller : MatrixCaller.values()) {
          if (row.isAllowed(caller) && !row.isPublic()) {
            requireHidden(row, caller, node, walk);
          }
        }
      }
      walk.requireNothingWrong();
    }
  }

  private static void requireARowForEachRoute() {
    Set<String> ids = ROWS.stream().map(MatrixRow::id).collect(Collectors.toSet());
    assertThat(Arrays.stream(Route.values()).map(Route::spec))
        .filteredOn(spec -> spec.audience() == Audience.ORG)
        .filteredOn(spec -> spec.ids().stream().noneMatch(ids::contains))
        .extracting(RouteSpec::label)
        .isEmpty();
  }

  private static void record(FixtureRows rows) throws Exception {
    rows.change(
        "UPDATE request_log SET operator_cost_micro = "
            + DIGITS
            + ", row = replace(row,"
            + " '\"attempts\"', '\"operator_cost_micro\":"
            + DIGITS
            + ",\"below_cost\":true,\"attempts\"')");
    rows.change("UPDATE request_view SET operator_cost_micro = " + DIGITS);
    for (String sums : List.of("usage_slot", "usage_hour")) {
      rows.change(
          "INSERT INTO "
              + sums
              + " SELECT date_trunc('hour', now(), 'UTC'), org_id, key_id, model,"
              + " provider, endpoint, outcome, '', 1, prompt_tokens, completion_tokens,"
              + " cached_tokens, reasoning_tokens, cost_micro, operator_cost_micro, '{}', '{}',"
              + " '{}' FROM request_view");
    }
  }

  private static void requireHidden(
      MatrixRow row, MatrixCaller caller, ControlNode node, MatrixWalk walk) throws Exception {
    RawResponse response =
        walk.check(row, caller, MatrixWalk.expected(row, caller), () -> node.send(row, caller));
    if (response == null) {
      return; // the walk has it
    }
    String shown = response.headerLines() + response.text();
    boolean isShown = shown.contains(DIGITS);
    if (isShown && !OPERATORS.contains(caller)) {
      walk.wrong(row, caller.column() + " is shown it: " + shown);
    }
    boolean mustShow = row.id().equals("R2") || row.id().equals("X2");
    if (!isShown && mustShow && OPERATORS.contains(caller)) {
      walk.wrong(row, caller.column() + " is not shown it: " + shown);
    }
  }
}
