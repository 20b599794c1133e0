package dev.tollgate.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The hash equals that of the whole body for any number of steps. */
class BodySha256Test {
  private static final int TURN = BodySha256.BYTES_PER_STEP;

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 1", "131072, 1", "131073, 2", "1000000, 8"})
  void aStepHashesABoundedNumberOfBytes(int bytes, int turns) throws Exception {
    byte[] all = new byte[bytes];
    new Random(bytes).nextBytes(all);
    var hash = new BodySha256(List.of(Unpooled.wrappedBuffer(all)));
    for (int i = 1; i < turns; i++) {
      hash.step();
      assertThat(hash.isDone()).as("turn %d", i).isFalse();
    }
    hash.step();
    assertThat(hash.isDone()).isTrue();
    assertThat(hash.get()).isEqualTo(MessageDigest.getInstance("SHA-256").digest(all));
  }

  @Test
  void partsAreOneBodyAndStayAsTheyAre() throws Exception {
    byte[] all = new byte[3 * TURN];
    new Random(1).nextBytes(all);
    List<ByteBuf> parts = new ArrayList<>();
    int[] cuts = {0, 0, 5, TURN - 1, TURN + 7, 2 * TURN, all.length};
    for (int i = 1; i < cuts.length; i++) {
      parts.add(Unpooled.wrappedBuffer(all, cuts[i - 1], cuts[i] - cuts[i - 1]));
    }
    byte[] expected = MessageDigest.getInstance("SHA-256").digest(all);
    assertThat(new BodySha256(parts).get()).isEqualTo(expected);
    ByteBuf composite = Unpooled.wrappedBuffer(parts.toArray(ByteBuf[]::new));
    assertThat(new BodySha256(List.of(composite)).get()).isEqualTo(expected);
    assertThat(composite.readableBytes()).isEqualTo(all.length);
  }
}
