package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.explorer.ChargeArithmetic;
import dev.tollgate.server.explorer.ChargeArithmetic.SettledCharge;
import dev.tollgate.server.explorer.PricedRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Charges in a folder's database, computed again from their rows and price sheets. */
final class StoredCharges {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int POLL_MILLIS = 20;

  private final LedgerDatabase database;

  private StoredCharges(LedgerDatabase database) {
    this.database = database;
  }

  static StoredCharges of(NodeFolder folder) {
    return new StoredCharges(LedgerDatabase.of(folder));
  }

  private record Stored(PricedRecord record, SettledCharge settled) {}

  /** Waits until a request is settled, and computes its charge. */
  ChargeArithmetic await(String request) throws Exception {
    long beganNanos = System.nanoTime();
    List<Stored> found = new ArrayList<>();
    while (found.isEmpty()) {
      assertThat(Duration.ofNanos(System.nanoTime() - beganNanos)).as(request).isLessThan(SOON);
      CrashingNodes.pause(POLL_MILLIS);
      read(request, found);
    }
    Stored stored = found.getFirst();
    return ChargeArithmetic.of(stored.record(), sheets(), stored.settled());
  }

  private void read(String request, List<Stored> found) throws Exception {
    database.query(
        """
        SELECT r.row, s.cost_micro, s.reserved_micro, s.how, s.estimated,
               coalesce(r.operator_cost_micro, 0)
          FROM settlement s JOIN request_log r USING (day, request_id)
         WHERE s.request_id = '%s'
        """
            .formatted(request),
        row ->
            found.add(
                new Stored(
                    PricedRecord.ofRow(row.getString(1)),
                    new SettledCharge(
                        new MicroUsd(row.getLong(2)),
                        new MicroUsd(row.getLong(3)),
                        SettlementKind.valueOf(row.getString(4).toUpperCase(Locale.ROOT)),
                        row.getBoolean(5),
                        new MicroUsd(row.getLong(6))))));
  }

  private Map<String, String> sheets() throws Exception {
    Map<String, String> sheets = new HashMap<>();
    database.query(
        "SELECT id, content FROM price_sheet",
        row -> sheets.put(row.getString(1), row.getString(2)));
    return sheets;
  }
}
