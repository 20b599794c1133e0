package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalCodec.Decoded;
import dev.tollgate.core.ledger.JournalRecord.Settle;
import dev.tollgate.core.testkit.Seeds;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Records survive encoding and decoding; other bytes are reported as damaged. */
class JournalCodecTest {

  @Test
  void everyRecordIsDecodedAsEncoded() {
    Seeds.forEach(
        random -> {
          var records = new RandomRecords(random);
          for (int i = 0; i < 50; i++) {
            JournalRecord record = records.any();
            assertThat(decoded(encoded(record)))
                .isInstanceOfSatisfying(
                    Decoded.Intact.class,
                    intact -> assertThat(RandomRecords.same(intact.record(), record)).isTrue());
          }
        });
  }

  @Test
  void aRecordThatIsCutOrTooLongIsDamaged() {
    Seeds.forEach(
        random -> {
          byte[] whole = encoded(new RandomRecords(random).any());
          byte[] cut = new byte[random.nextInt(whole.length)];
          System.arraycopy(whole, 0, cut, 0, cut.length);
          byte[] longer = new byte[whole.length + 1];
          System.arraycopy(whole, 0, longer, 0, whole.length);
          assertThat(decoded(cut)).isInstanceOf(Decoded.Damaged.class);
          assertThat(decoded(longer)).isInstanceOf(Decoded.Damaged.class);
        });
  }

  @Test
  void otherBytesAreDamagedOrARecordButNeverAnException() {
    Seeds.forEach(
        random -> {
          for (int i = 0; i < 200; i++) {
            byte[] bytes = new byte[random.nextInt(300)];
            random.nextBytes(bytes);
            assertThat(decoded(bytes)).isNotNull();
            byte[] bent = encoded(new RandomRecords(random).any());
            bent[random.nextInt(bent.length)] = (byte) random.nextInt();
            assertThat(decoded(bent)).isNotNull();
          }
        });
  }

  @Test
  void aChargeWithAnEndlessRowKeepsTheChargeAndLosesTheRow() {
    Settlement small = new RandomRecords(new Random(1)).settlement(RequestId.at(1));
    byte[] row = new byte[JournalCodec.ROW_BYTES_MAX + 1];

    Decoded decoded = decoded(encoded(new Settle(withRow(small, row))));

    assertThat(decoded)
        .isInstanceOfSatisfying(
            Decoded.Intact.class,
            intact ->
                assertThat(
                        RandomRecords.same(
                            intact.record(), new Settle(withRow(small, new byte[0]))))
                    .isTrue());
  }

  @Test
  void theLongestRowFits() {
    Settlement small = new RandomRecords(new Random(1)).settlement(RequestId.at(1));
    byte[] row = new byte[JournalCodec.ROW_BYTES_MAX];

    assertThat(encoded(new Settle(withRow(small, row))).length)
        .isBetween(row.length, JournalCodec.RECORD_BYTES_MAX);
  }

  private static Settlement withRow(Settlement settlement, byte[] row) {
    return new Settlement(
        settlement.request(),
        settlement.org(),
        settlement.key(),
        settlement.scopeKinds(),
        settlement.reserved(),
        settlement.cost(),
        settlement.tokens(),
        settlement.how(),
        row);
  }

  private static byte[] encoded(JournalRecord record) {
    ByteBuffer buffer = ByteBuffer.allocate(JournalCodec.RECORD_BYTES_MAX);
    JournalCodec.encode(record, buffer);
    byte[] bytes = new byte[buffer.flip().remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static Decoded decoded(byte[] bytes) {
    return JournalCodec.decode(ByteBuffer.wrap(bytes));
  }
}
