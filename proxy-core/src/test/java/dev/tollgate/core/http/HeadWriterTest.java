package dev.tollgate.core.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Output is exactly as the peer expects, and no value can break out of its line. */
final class HeadWriterTest {
  @Test
  void statusLines() {
    assertThat(written(out -> HeadWriter.statusLine(out, 200))).isEqualTo("HTTP/1.1 200 OK\r\n");
    assertThat(written(out -> HeadWriter.statusLine(out, 404)))
        .isEqualTo("HTTP/1.1 404 Not Found\r\n");
  }

  @Test
  void aRequestHead() {
    assertThat(
            written(
                out -> {
                  HeadWriter.requestLine(out, "POST", "/v1/chat/completions?a=b");
                  HeadWriter.field(out, "host", "api.example");
                  HeadWriter.field(out, new Field("x-latin", "caf\u00e9"));
                  HeadWriter.contentLength(out, Long.MAX_VALUE);
                  HeadWriter.end(out);
                }))
        .isEqualTo(
            String.join(
                "\r\n",
                "POST /v1/chat/completions?a=b HTTP/1.1",
                "host: api.example",
                "x-latin: caf\u00e9",
                "content-length: 9223372036854775807",
                "",
                ""));
  }

  @Test
  void chunks() {
    for (int bytes : new int[] {1, 9, 15, 16, 255, 256, 4096, 65_535, 65_536, Integer.MAX_VALUE}) {
      assertThat(written(out -> HeadWriter.chunkStart(out, bytes)))
          .isEqualTo(Integer.toHexString(bytes) + "\r\n");
    }
    assertThat(written(HeadWriter::chunkEnd)).isEqualTo("\r\n");
    assertThat(written(HeadWriter::lastChunk)).isEqualTo("0\r\n\r\n");
    assertThat(written(HeadWriter::transferEncodingChunked))
        .isEqualTo("transfer-encoding: chunked\r\n");
  }

  @Test
  void anEmptyChunkWouldEndTheBody() {
    assertThatThrownBy(() -> written(out -> HeadWriter.chunkStart(out, 0)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static String written(Consumer<ByteBuf> writer) {
    ByteBuf out = Unpooled.buffer();
    writer.accept(out);
    return out.toString(StandardCharsets.ISO_8859_1);
  }
}
