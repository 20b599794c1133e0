package dev.tollgate.server.postgres.ledger;

import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.UUID;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Oid;
import org.postgresql.jdbc.PgArray;

/**
 * Encoder of an SQL array parameter in PostgreSQL's binary format, element by element. The driver
 * makes arrays from strings only, and for most types from escaped text; a settled charge has
 * thirteen columns.
 */
final class BinaryArray {
  private static final int HAS_NULLS_AT = 4;
  private static final int COUNT_AT = 12;
  private static final int HEAD_BYTES = 20;
  private static final int NULL_LENGTH = -1;
  private static final long POSTGRES_EPOCH_DAY = LocalDate.of(2000, 1, 1).toEpochDay();

  private final int arrayOid;
  private byte[] bytes;
  private int size = HEAD_BYTES;
  private int count;

  private BinaryArray(int arrayOid, int elementOid, int bytesExpected) {
    this.arrayOid = arrayOid;
    this.bytes = new byte[HEAD_BYTES + bytesExpected];
    put32(0, 1); // dimensions
    put32(8, elementOid);
    put32(16, 1); // index of the first element
  }

  static BinaryArray texts(int bytesExpected) {
    return new BinaryArray(Oid.TEXT_ARRAY, Oid.TEXT, bytesExpected);
  }

  static BinaryArray uuids(int count) {
    return new BinaryArray(Oid.UUID_ARRAY, Oid.UUID, count * 20);
  }

  static BinaryArray dates(int count) {
    return new BinaryArray(Oid.DATE_ARRAY, Oid.DATE, count * 8);
  }

  static BinaryArray bools(int count) {
    return new BinaryArray(Oid.BOOL_ARRAY, Oid.BOOL, count * 5);
  }

  void text(String text) {
    utf8(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Appends a text that is UTF-8 already and contains no NUL. */
  void utf8(byte[] text) {
    int at = element(text.length); // first, because it may replace the array
    System.arraycopy(text, 0, bytes, at, text.length);
  }

  void uuid(UUID uuid) {
    int at = element(16);
    put64(at, uuid.getMostSignificantBits());
    put64(at + 8, uuid.getLeastSignificantBits());
  }

  void date(LocalDate date) {
    put32(element(4), (int) (date.toEpochDay() - POSTGRES_EPOCH_DAY));
  }

  void bool(boolean value) {
    int at = element(1);
    bytes[at] = (byte) (value ? 1 : 0);
  }

  void nullElement() {
    room(4);
    put32(size, NULL_LENGTH);
    put32(HAS_NULLS_AT, 1);
    size += 4;
    count++;
  }

  /** Returns the array for a statement of this connection. */
  Array on(Connection connection) throws SQLException {
    put32(COUNT_AT, count);
    byte[] all = size == bytes.length ? bytes : Arrays.copyOf(bytes, size);
    return new PgArray(connection.unwrap(BaseConnection.class), arrayOid, all);
  }

  /** Returns the position of the next element's bytes. */
  private int element(int length) {
    room(4 + length);
    put32(size, length);
    int at = size + 4;
    size = at + length;
    count++;
    return at;
  }

  private void room(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
    }
  }

  private void put32(int at, int value) {
    bytes[at] = (byte) (value >>> 24);
    bytes[at + 1] = (byte) (value >>> 16);
    bytes[at + 2] = (byte) (value >>> 8);
    bytes[at + 3] = (byte) value;
  }

  private void put64(int at, long value) {
    put32(at, (int) (value >>> 32));
    put32(at + 4, (int) value);
  }
}
