package dev.tollgate.core.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Progress;
import dev.tollgate.core.ledger.JournalRecord.Release;
import dev.tollgate.core.ledger.JournalRecord.Reserve;
import dev.tollgate.core.ledger.JournalRecord.Settle;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Binary codec of {@link JournalRecord}s. The first byte of a record is its type, and the format of
 * a type never changes: a new format gets a new type. Numbers are varints, groups of 7 bits, lowest
 * first; texts are ASCII, preceded by their length in one byte.
 */
public final class JournalCodec {
  /**
   * Size in bytes of the longest request log row that is kept with a charge; a longer one is
   * dropped.
   */
  public static final int ROW_BYTES_MAX = 16 * 1024;

  /** Size of the longest record in bytes. */
  public static final int RECORD_BYTES_MAX = ROW_BYTES_MAX + 512;

  private static final int TEXT_BYTES_MAX = 127;
  private static final int NUMBER_BYTES_MAX = 10;

  private static final byte RESERVE = 'R';
  private static final byte PROGRESS = 'P';
  private static final byte SETTLE = 'S';
  private static final byte RELEASE = 'X';

  private JournalCodec() {}

  /** Result of decoding. */
  public sealed interface Decoded {
    record Intact(JournalRecord record) implements Decoded {}

    /** The bytes are not a record of this version. */
    record Damaged(String why) implements Decoded {}
  }

  /**
   * Writes a record at a buffer's position; {@link #RECORD_BYTES_MAX} bytes are always enough.
   *
   * @throws IllegalArgumentException if an id is too long to be valid
   */
  public static void encode(JournalRecord record, ByteBuffer into) {
    switch (record) {
      case Reserve reserve -> {
        into.put(RESERVE);
        putText(reserve.request().value(), into);
        putPayer(reserve.org(), reserve.key(), reserve.scopeKinds(), into);
        putNumber(reserve.reserved().value(), into);
      }
      case Progress progress -> {
        into.put(PROGRESS);
        putText(progress.request().value(), into);
        putNumber(progress.cost().value(), into);
        putTokens(progress.tokens(), into);
      }
      case Settle settle -> {
        into.put(SETTLE);
        putSettlement(settle.settlement(), into);
      }
      case Release release -> {
        into.put(RELEASE);
        putText(release.request().value(), into);
      }
    }
  }

  /** Reads one record that fills what remains of a buffer. */
  public static Decoded decode(ByteBuffer bytes) {
    try {
      JournalRecord record = record(bytes.get(), bytes);
      return bytes.hasRemaining() ? new Decoded.Damaged("too long") : new Decoded.Intact(record);
    } catch (BufferUnderflowException e) {
      return new Decoded.Damaged("too short");
    } catch (DamagedException e) {
      return new Decoded.Damaged(e.getMessage());
    }
  }

  private static JournalRecord record(byte type, ByteBuffer from) throws DamagedException {
    return switch (type) {
      case RESERVE ->
          new Reserve(
              new RequestId(text(from)),
              org(from),
              new KeyId(text(from)),
              from.get(),
              new MicroUsd(number(from)));
      case PROGRESS ->
          new Progress(new RequestId(text(from)), new MicroUsd(number(from)), tokens(from));
      case SETTLE -> new Settle(settlement(from));
      case RELEASE -> new Release(new RequestId(text(from)));
      default -> throw new DamagedException("type " + type + " is unknown");
    };
  }

  private static void putSettlement(Settlement settlement, ByteBuffer into) {
    putText(settlement.request().value(), into);
    putPayer(settlement.org(), settlement.key(), settlement.scopeKinds(), into);
    putNumber(settlement.reserved().value(), into);
    putNumber(settlement.cost().value(), into);
    putTokens(settlement.tokens(), into);
    into.put(code(settlement.how()));
    // The charge must not be lost because its log row is too long.
    int row = settlement.row().length <= ROW_BYTES_MAX ? settlement.row().length : 0;
    putNumber(row, into);
    into.put(settlement.row(), 0, row);
  }

  private static Settlement settlement(ByteBuffer from) throws DamagedException {
    return new Settlement(
        new RequestId(text(from)),
        org(from),
        new KeyId(text(from)),
        from.get(),
        new MicroUsd(number(from)),
        new MicroUsd(number(from)),
        tokens(from),
        how(from.get()),
        row(from));
  }

  private static byte[] row(ByteBuffer from) throws DamagedException {
    long length = number(from);
    if (length < 0 || length > ROW_BYTES_MAX || length > from.remaining()) {
      throw new DamagedException("a row of " + length + " bytes");
    }
    byte[] row = new byte[(int) length];
    from.get(row);
    return row;
  }

  private static byte code(SettlementKind kind) {
    return switch (kind) {
      case COMPLETED -> 'c';
      case PARTIAL -> 'p';
      case ABANDONED -> 'a';
      case CRASH -> 'x';
    };
  }

  private static SettlementKind how(byte code) throws DamagedException {
    return switch (code) {
      case 'c' -> SettlementKind.COMPLETED;
      case 'p' -> SettlementKind.PARTIAL;
      case 'a' -> SettlementKind.ABANDONED;
      case 'x' -> SettlementKind.CRASH;
      default -> throw new DamagedException("ending " + code + " is unknown");
    };
  }

  private static void putPayer(OrgId org, KeyId key, int scopeKinds, ByteBuffer into) {
    into.putLong(org.value().getMostSignificantBits());
    into.putLong(org.value().getLeastSignificantBits());
    putText(key.value(), into);
    into.put((byte) scopeKinds);
  }

  private static OrgId org(ByteBuffer from) {
    return new OrgId(new UUID(from.getLong(), from.getLong()));
  }

  private static void putTokens(Tokens tokens, ByteBuffer into) {
    putNumber(tokens.prompt(), into);
    putNumber(tokens.completion(), into);
    putNumber(tokens.cached(), into);
    putNumber(tokens.reasoning(), into);
    into.put((byte) (tokens.estimated() ? 1 : 0));
  }

  private static Tokens tokens(ByteBuffer from) throws DamagedException {
    return new Tokens(number(from), number(from), number(from), number(from), from.get() != 0);
  }

  private static void putText(String text, ByteBuffer into) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    if (bytes.length > TEXT_BYTES_MAX) {
      throw new IllegalArgumentException("an id of " + bytes.length + " bytes");
    }
    into.put((byte) bytes.length).put(bytes);
  }

  private static String text(ByteBuffer from) throws DamagedException {
    int length = from.get();
    if (length < 0) {
      throw new DamagedException("a text of " + (length & 0xff) + " bytes");
    }
    if (length > from.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    from.get(bytes);
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  private static void putNumber(long number, ByteBuffer into) {
    long rest = number;
    while ((rest & ~0x7fL) != 0) {
      into.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    into.put((byte) rest);
  }

  private static long number(ByteBuffer from) throws DamagedException {
    long number = 0;
    for (int i = 0; i < NUMBER_BYTES_MAX; i++) {
      byte part = from.get();
      number |= (part & 0x7fL) << (7 * i);
      if (part >= 0) {
        return number;
      }
    }
    throw new DamagedException("a number without an end");
  }

  private static final class DamagedException extends Exception {
    private static final long serialVersionUID = 1;

    DamagedException(String message) {
      super(message, null, false, false);
    }

    @Override
    public String getMessage() {
      return String.valueOf(super.getMessage());
    }
  }
}
