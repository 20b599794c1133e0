package dev.tollgate.server.postgres.backup;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * Manifest of a store export: its versions, tables and sequences, as the zip's last entry {@code
 * manifest.json}.
 *
 * @param format version of the file format
 * @param schemaVersion version of the last migration that the exported store had
 */
public record ExportManifest(
    int format,
    String product,
    String schemaVersion,
    int postgresMajor,
    String exportedAt,
    List<Table> tables,
    List<Sequence> sequences) {
  static final int FORMAT = 2;

  /**
   * Format of files made before the first release, whose schema versions count other migrations.
   */
  static final int BEFORE_FIRST_RELEASE = 1;

  static final String PRODUCT = "tollgate";
  public static final String ENTRY = "manifest.json";

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  /** Exported table; {@code sha256} is the digest of its CSV entry, in lowercase hex. */
  record Table(String name, List<String> columns, long rows, String sha256) {
    String entry() {
      return "tables/" + name + ".csv";
    }
  }

  /** State of an exported sequence, from which the imported one continues. */
  record Sequence(String name, long lastValue, boolean called) {}

  byte[] toJson() throws IOException {
    return JSON.writeValueAsBytes(this);
  }

  public static ExportManifest read(InputStream in) throws IOException {
    return JSON.readValue(in, ExportManifest.class);
  }
}
