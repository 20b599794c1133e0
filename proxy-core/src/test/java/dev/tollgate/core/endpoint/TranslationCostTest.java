package dev.tollgate.core.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.sse.SseSink;
import dev.tollgate.core.sse.StreamDecoder;
import dev.tollgate.core.testkit.AnthropicWire;
import dev.tollgate.core.testkit.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** What an event of a long translated stream takes of the heap: no tree, and nothing that grows. */
class TranslationCostTest {
  private static final int EVENTS = 10_000;
  private static final int BYTES_MAX = 2_000;
  private static final int BYTES_MAX_WITH_USAGE = 8_000;

  @Test
  void anEventOfAnthropicsTakesFewBytesOfHeapHoweverLongTheStream() {
    byte[] event =
        AnthropicWire.delta(0, "text_delta", "text", " a few words of text").getBytes(UTF_8);
    assertThat(bytesPerEvent("anthropic", AnthropicWire.start(5), event))
        .isBetween(1L, (long) BYTES_MAX);
  }

  /** Each of Gemini's tells the usage so far, which is read and told on. */
  @Test
  void anEventOfGeminisTakesFewBytesOfHeapHoweverLongTheStream() {
    byte[] event =
        ("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\" a few words\"}],"
                + "\"role\":\"model\"},\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":32,"
                + "\"candidatesTokenCount\":49,\"totalTokenCount\":104,\"promptTokensDetails\":"
                + "[{\"modality\":\"TEXT\",\"tokenCount\":32}],\"thoughtsTokenCount\":23},"
                + "\"modelVersion\":\"gemini-2.5-flash\",\"responseId\":\"m4ztaP\"}\r\n\r\n")
            .getBytes(UTF_8);
    assertThat(bytesPerEvent("gemini", "", event)).isBetween(1L, (long) BYTES_MAX_WITH_USAGE);
  }

  /** A frame's two check sums and its headers are read in place. */
  @Test
  void aFrameOfBedrocksTakesFewBytesOfHeapHoweverLongTheStream() {
    byte[] event =
        new Frames()
            .event(
                "contentBlockDelta",
                "{\"contentBlockIndex\":0,\"delta\":{\"text\":\" a few words of text\"},"
                    + "\"p\":\"abcdefghijklmnopqrstuvwxyz\"}")
            .bytes();
    assertThat(bytesPerEvent("bedrock", "", event)).isBetween(1L, (long) BYTES_MAX);
  }

  @Test
  void anEventOfCoheresTakesFewBytesOfHeapHoweverLongTheStream() {
    String start =
        "event: message-start\ndata: {\"id\":\"c\",\"type\":\"message-start\",\"delta\":"
            + "{\"message\":{\"role\":\"assistant\",\"content\":[]}}}\n\n";
    byte[] event =
        ("event: content-delta\ndata: {\"type\":\"content-delta\",\"index\":0,\"delta\":"
                + "{\"message\":{\"content\":{\"text\":\" a few words of text\"}}}}\n\n")
            .getBytes(UTF_8);
    assertThat(bytesPerEvent("cohere", start, event)).isBetween(1L, (long) BYTES_MAX);
  }

  @Test
  void anEventOfOllamasTakesFewBytesOfHeapHoweverLongTheStream() {
    byte[] event =
        ("{\"model\":\"llama3.2\",\"created_at\":\"2026-01-01T00:00:00.000001Z\",\"message\":"
                + "{\"role\":\"assistant\",\"content\":\" a few words of text\"},\"done\":false}\n")
            .getBytes(UTF_8);
    assertThat(bytesPerEvent("ollama", "", event)).isBetween(1L, (long) BYTES_MAX);
  }

  private static long bytesPerEvent(String dialect, String start, byte[] event) {
    try (var stream = new Translated(dialect)) {
      stream.feed(start.getBytes(UTF_8), 1);
      stream.feed(event, 2_000); // what is made once, and the compiler's
      var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long before = threads.getCurrentThreadAllocatedBytes();
      stream.feed(event, EVENTS);
      return (threads.getCurrentThreadAllocatedBytes() - before) / EVENTS;
    }
  }

  /** A stream whose client takes all of it at once. */
  private static final class Translated implements SseSink, AutoCloseable {
    private final ChatStream chat = new ChatStream(Samples.stamp());
    private final ByteBuf out = Unpooled.buffer(4_096);
    private final StreamDecoder decoder;

    Translated(String dialect) {
      Dialect spoken = Dialect.named(dialect);
      decoder = spoken.framing().decoder(spoken.translation().orElseThrow().stream(this), 1 << 16);
    }

    void feed(byte[] bytes, int times) {
      ByteBuf in = Unpooled.wrappedBuffer(bytes);
      for (int i = 0; i < times; i++) {
        decoder.feed(in.readerIndex(0));
        out.clear();
      }
    }

    @Override
    public void event(String name, byte[] data, int from, int to) {
      chat.event(data, from, to, out);
    }

    @Override
    public void comment() {}

    @Override
    public void oversized(int eventBytesMax) {
      throw new AssertionError("no event of this test is that large");
    }

    @Override
    public void close() {
      decoder.close();
      chat.release();
      out.release();
    }
  }
}
