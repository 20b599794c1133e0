package dev.tollgate.server.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Idle connections that a node keeps. */
class ConnectionPoolTest {
  private static final DatabaseAddress UNKNOWN =
      new DatabaseAddress("jdbc:postgresql://127.0.0.1:1/nobody", null, null);

  @Test
  void onlyTheFirstPoolKeepsIdleConnections() {
    StoreOptions options = StoreOptions.embedded(Path.of("unused")).withPoolMax(4);
    try (HikariDataSource beside = ConnectionPool.openOnDemand("beside", UNKNOWN, options)) {
      assertThat(beside.getMaximumPoolSize()).isEqualTo(4);
      assertThat(beside.getMinimumIdle()).isZero();
      assertThat(beside.getIdleTimeout()).isLessThanOrEqualTo(60_000).isPositive();
    }
  }
}
