package dev.tollgate.server.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.server.postgres.SharedPostgres;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import dev.tollgate.server.postgres.session.Migrations;
import dev.tollgate.server.postgres.session.StoreOptions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** PostgreSQL reads the same values from the arrays that were written into them. */
@Execution(ExecutionMode.CONCURRENT)
class BinaryArrayIT {
  private static final int SEEDS = 40;

  @Test
  void everyTypeComesBackAsItWas() throws Exception {
    try (Connection connection = connection()) {
      Seeds.forEach(SEEDS, random -> comesBack(connection, random));
    }
  }

  private static void comesBack(Connection connection, Random random) throws SQLException {
    int count = random.nextInt(40);
    var texts = BinaryArray.texts(random.nextInt(100));
    var uuids = BinaryArray.uuids(random.nextInt(count + 1));
    var dates = BinaryArray.dates(count);
    var bools = BinaryArray.bools(0);
    List<List<Object>> put = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String text = text(random);
      UUID uuid = new UUID(random.nextLong(), random.nextLong());
      LocalDate date = LocalDate.of(1970 + random.nextInt(200), 1 + random.nextInt(12), 28);
      boolean bool = random.nextBoolean();
      if (text.isEmpty()) {
        texts.nullElement();
      } else {
        texts.text(text);
      }
      uuids.uuid(uuid);
      dates.date(date);
      bools.bool(bool);
      put.add(List.of(text, uuid, date, bool));
    }
    assertThat(read(connection, List.of(texts, uuids, dates, bools))).isEqualTo(put);
  }

  private static List<List<Object>> read(Connection connection, List<BinaryArray> arrays)
      throws SQLException {
    String all = "SELECT * FROM unnest(?::text[], ?::uuid[], ?::date[], ?::boolean[])";
    try (PreparedStatement select = connection.prepareStatement(all)) {
      for (int i = 0; i < arrays.size(); i++) {
        select.setArray(i + 1, arrays.get(i).on(connection));
      }
      List<List<Object>> read = new ArrayList<>();
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          String text = rows.getString(1);
          read.add(
              List.of(
                  text == null ? "" : text,
                  rows.getObject(2, UUID.class),
                  rows.getObject(3, LocalDate.class),
                  rows.getBoolean(4)));
        }
      }
      return read;
    }
  }

  private static String text(Random random) {
    return "{\"ü\\, 'ㅎ😀".substring(0, random.nextInt(8)).repeat(random.nextInt(300));
  }

  private static Connection connection() throws SQLException {
    StoreOptions options = SharedPostgres.newDatabase();
    return Migrations.plain(
            new DatabaseAddress(options.url(), options.username(), options.password()))
        .getConnection();
  }
}
