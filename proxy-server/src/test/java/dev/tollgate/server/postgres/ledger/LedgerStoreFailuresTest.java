package dev.tollgate.server.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException.Kind;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Classification of failures: the call had no effect, may succeed later, or never will. */
class LedgerStoreFailuresTest {
  @ParameterizedTest
  @CsvSource({
    "08001, UNREACHABLE", // no connection
    "53300, UNREACHABLE", // too many connections
    "57P03, UNREACHABLE", // starting
    "57P01, UNREACHABLE", // stopping
    "08006, TRANSIENT", // cut during the call: it was perhaps too large
    "57014, TRANSIENT", // timeout
    "40P01, TRANSIENT", // deadlock
    "22003, POISONED",
    "23505, POISONED"
  })
  void aSqlStateDecidesWhetherARetryHelps(String state, Kind kind) {
    assertThat(LedgerStoreFailures.of(new SQLException("m", state)).kind()).isEqualTo(kind);
  }

  @Test
  void aPoolWithoutAConnectionReachedNoDatabase() {
    var none = new SQLTransientConnectionException("not available, request timed out");
    assertThat(LedgerStoreFailures.of(none).kind()).isEqualTo(Kind.UNREACHABLE);
  }
}
