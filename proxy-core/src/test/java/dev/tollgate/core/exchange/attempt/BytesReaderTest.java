package dev.tollgate.core.exchange.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.speech.SpeechRequest;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.testkit.TestCatalog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class BytesReaderTest {
  private static final byte[] ASK =
      "{\"model\":\"acme/one\",\"input\":\"Say it.\",\"voice\":\"alloy\"}"
          .getBytes(StandardCharsets.UTF_8);

  private static BytesReader reader() {
    Model model =
        TestCatalog.of(Modality.SPEECH, TestCatalog.provider("alpha")).models().iterator().next();
    var parsed = (ParseResult.Valid<SpeechRequest>) SpeechRequest.parse(ASK, ASK.length);
    InferenceCall call = parsed.request().call(RequestId.at(1_700_000_000_000L), model);
    return new BytesReader(call.bytes(), Unpooled.buffer().alloc());
  }

  @Test
  void whatCameLeavesInTheMemoryItCameIn() {
    BytesReader reader = reader();
    ByteBuf read = Unpooled.wrappedBuffer(new byte[] {'I', 'D', '3', 0, -1});
    reader.feed(read.slice(0, 3));
    reader.feed(read.slice(3, 2));
    ByteBuf out = Objects.requireNonNull(reader.takeOutput());
    assertThat(out.readableBytes()).isEqualTo(5);
    read.setByte(0, 'J');
    read.setByte(4, 7);
    assertThat(out.getByte(0)).isEqualTo((byte) 'J');
    assertThat(out.getByte(4)).isEqualTo((byte) 7);
    assertThat(reader.takeOutput()).isNull();
    read.release();
    assertThat(read.refCnt()).as("held by what goes out").isEqualTo(2);
    out.release();
    assertThat(read.refCnt()).isZero();
  }

  @Test
  void nothingIsHeldOfAnUntakenRequest() {
    BytesReader reader = reader();
    ByteBuf read = Unpooled.wrappedBuffer(new byte[] {1, 2, 3});
    reader.feed(read);
    reader.release();
    assertThat(read.refCnt()).isOne();
    read.release();
  }
}
