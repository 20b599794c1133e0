package dev.tollgate.server.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.PriceSheet;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.server.postgres.TestLedgerStore;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Price sheets in a real database. */
class PriceSheetRowsIT {
  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private static PriceSheet sheet(long input) {
    return PriceList.ofTokens(TokenPrices.of(input, 1)).sheet();
  }

  @Test
  void aSheetIsKeptOnceAndFoundByItsId() throws Exception {
    PriceSheetRows rows = testStore.store().priceSheets();
    rows.keep(List.of(sheet(1), sheet(2), sheet(1)));
    rows.keep(List.of(sheet(2), sheet(3)));

    assertThat(rows.contents(List.of(sheet(3).id(), sheet(1).id(), "unknown")))
        .isEqualTo(Map.of(sheet(1).id(), sheet(1).content(), sheet(3).id(), sheet(3).content()));
    assertThat(rows.contents(List.of())).isEmpty();
    assertThat(testStore.execute("SELECT count(*)::text FROM price_sheet")).containsExactly("3");
  }
}
