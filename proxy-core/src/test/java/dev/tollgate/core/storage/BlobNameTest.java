package dev.tollgate.core.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names have one form, and the type of content is detected by its bytes. */
class BlobNameTest {
  private static final Instant NOW = Instant.parse("2026-11-22T23:59:59Z");
  private static final OrgId ORG =
      new OrgId(UUID.fromString("5b1f0d2e-0000-4000-8000-000000000001"));

  @Test
  void aNameHoldsItsExpiryAndIsParsedAsPrinted() {
    Blob blob = new Blob(ORG, BlobType.JPEG, Duration.ofDays(7), Unpooled.EMPTY_BUFFER);
    BlobName name = BlobName.of(blob, NOW);
    assertThat(name.day()).isEqualTo("20261129");
    assertThat(BlobName.today(NOW)).isEqualTo("20261122");
    assertThat(name.toString()).matches("20261129/[0-9a-f]{16}/[0-9a-z]{26}\\.jpg");
    assertThat(BlobName.parse(name.toString())).contains(name);
    assertThat(BlobName.of(blob, NOW).owner()).isEqualTo(name.owner());
    assertThat(BlobName.of(blob, NOW).id()).isNotEqualTo(name.id());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "../20261129/0123456789abcdef/00000000000000000000000000.png",
        "20261129/0123456789abcdef/../../key",
        "20261129/0123456789abcdef/00000000000000000000000000.svg",
        "20261129/0123456789abcdef/00000000000000000000000000.html",
        "20261129/0123456789abcdef/0000000000000000000000000.png",
        "20261129/0123456789ABCDEF/00000000000000000000000000.png",
        "20261129/0123456789abcdef/00000000000000000000000000.PNG",
        "20261129/0123456789abcdef/00000000000000000000000000.png\n",
        "20261129//0123456789abcdef/00000000000000000000000000.png",
        "20261129/0123456789abcdef/%2e%2e000000000000000000000.png",
        "20261129\\0123456789abcdef\\00000000000000000000000000.png",
        "20261129/0123456789abcdef/0000000000000000000000000u.png",
        "٢٠٢٦١١٢٩/0123456789abcdef/00000000000000000000000000.png"
      })
  void nothingElseIsAName(String text) {
    assertThat(BlobName.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "89504e470d0a1a0a0000000d, PNG",
    "ffd8ffe000104a4649460001, JPEG",
    "524946461a00000057454250, WEBP",
    "474946383961010001008000, GIF"
  })
  void theTypeOfAnImageIsThatOfItsBytes(String first, BlobType type) {
    assertThat(BlobType.ofImage(bytes(first))).contains(type);
    assertThat(BlobType.ofImage(bytes("00" + first).skipBytes(1))).contains(type);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "89504e470d0a1a",
        "3c73766720786d6c6e733d22",
        "3c21444f4354595045206874",
        "524946461a00000057415645",
        "89504e470d0a1a0b0000000d"
      })
  void whatIsNoImageHasNoKind(String first) {
    assertThat(BlobType.ofImage(bytes(first))).isEmpty();
  }

  private static ByteBuf bytes(String hex) {
    return Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex));
  }
}
