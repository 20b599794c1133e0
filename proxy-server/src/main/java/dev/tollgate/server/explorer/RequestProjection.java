package dev.tollgate.server.explorer;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Projection of the request log and of late charges into the request view, in steps that the
 * database does as one statement each. Of several nodes one at a time has the lock. Confined to one
 * thread.
 */
final class RequestProjection {
  /** Most rows that one step takes over, unless more were written in a few seconds. */
  static final int ROWS_MAX = 20_000;

  private static final String STEP = "SELECT * FROM request_view_step(?, ?, ?, ?)";

  /** The shortest time that a step takes over, however many rows it has. */
  private static final double SLICE_MIN_SECONDS = 3;

  private static final double SLICE_FACTOR = 4;

  private final Rules rules;
  private double sliceSeconds = SLICE_MIN_SECONDS;

  /**
   * Times by which the mark stays behind.
   *
   * @param transactionMax longest life of a transaction that writes to the log
   * @param startMax longest time from a transaction's begin until others see that it is open
   */
  record Rules(Duration transactionMax, Duration startMax) {
    static final Rules DEFAULT = new Rules(Duration.ofSeconds(15), Duration.ofMillis(250));
  }

  /**
   * Result of one step.
   *
   * @param rows rows that are new in the view
   * @param behind from the mark to the present
   * @param hasMore true if rows wait that the next step can take over
   */
  record Step(int rows, Duration behind, boolean hasMore) {}

  RequestProjection(Rules rules) {
    this.rules = rules;
  }

  /**
   * Takes over what was written since the last step, of any node. Behind a step that failed,
   * perhaps because it took too long, the next one takes less.
   *
   * @param connection commits each statement
   */
  Step step(Connection connection) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(STEP)) {
      select.setDouble(1, sliceSeconds);
      select.setInt(2, ROWS_MAX);
      select.setDouble(3, seconds(rules.transactionMax()));
      select.setDouble(4, seconds(rules.startMax()));
      return step(select);
    } catch (SQLException e) {
      sliceSeconds = Math.max(SLICE_MIN_SECONDS, sliceSeconds / SLICE_FACTOR);
      throw e;
    }
  }

  private Step step(PreparedStatement select) throws SQLException {
    try (ResultSet row = select.executeQuery()) {
      row.next();
      sliceSeconds = row.getDouble("next_slice_s");
      return new Step(
          row.getInt("taken"),
          Duration.ofNanos(Math.round(row.getDouble("behind_s") * 1e9)),
          row.getBoolean("has_more"));
    }
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
