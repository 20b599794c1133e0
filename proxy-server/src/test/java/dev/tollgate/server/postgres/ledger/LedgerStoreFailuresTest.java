package dev.tollgate.server.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException.Kind;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a failure says about the call: nothing, that it may pass, or that it never will. */
class LedgerStoreFailuresTest {
  @ParameterizedTest
  @CsvSource({
    "08001, UNREACHED", // no connection
    "53300, UNREACHED", // too many of them
    "57P03, UNREACHED", // it starts
    "57P01, UNREACHED", // it stops
    "08006, TRANSIENT", // cut while it was underway: perhaps it was too much
    "57014, TRANSIENT", // it took too long
    "40P01, TRANSIENT", // deadlock
    "22003, POISONED",
    "23505, POISONED"
  })
  void aStateSaysWhatIsWorthTrying(String state, Kind kind) {
    assertThat(LedgerStoreFailures.of(new SQLException("m", state)).kind()).isEqualTo(kind);
  }

  @Test
  void aPoolWithoutAConnectionReachedNobody() {
    var none = new SQLTransientConnectionException("not available, request timed out");
    assertThat(LedgerStoreFailures.of(none).kind()).isEqualTo(Kind.UNREACHABLE);
  }
}
