package dev.tollgate.server.postgres.ledger;

import dev.tollgate.core.money.PriceSheet;
import dev.tollgate.server.postgres.session.SqlArrays;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Price sheets in PostgreSQL, which are added and never deleted. */
public final class PriceSheetRows {
  /** In the order of the key, so that nodes that add the same rows wait instead of dying. */
  private static final String KEEP =
      """
      INSERT INTO price_sheet (id, content)
      SELECT s.id, s.content FROM unnest(?, ?) AS s (id, content)
       ORDER BY s.id COLLATE "C"
      ON CONFLICT DO NOTHING
      """;

  private static final String FIND = "SELECT id, content FROM price_sheet WHERE id = ANY (?)";

  private final DataSource source;

  public PriceSheetRows(DataSource source) {
    this.source = source;
  }

  /** Adds the sheets that are not there. */
  public void keep(Collection<PriceSheet> sheets) throws SQLException {
    List<PriceSheet> distinct = sheets.stream().distinct().toList();
    try (Connection connection = source.getConnection();
        PreparedStatement keep = connection.prepareStatement(KEEP)) {
      keep.setArray(1, SqlArrays.of(connection, "text", distinct, PriceSheet::id));
      keep.setArray(2, SqlArrays.of(connection, "text", distinct, PriceSheet::content));
      keep.executeUpdate();
    }
  }

  /** Returns the contents of sheets by their ids, without those that are not there. */
  public Map<String, String> contents(Collection<String> ids) throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement find = connection.prepareStatement(FIND)) {
      find.setArray(1, SqlArrays.of(connection, "text", List.copyOf(ids), id -> id));
      Map<String, String> contents = new HashMap<>();
      try (ResultSet row = find.executeQuery()) {
        while (row.next()) {
          contents.put(row.getString(1), row.getString(2));
        }
      }
      return contents;
    }
  }
}
