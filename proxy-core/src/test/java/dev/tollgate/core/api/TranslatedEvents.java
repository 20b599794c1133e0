package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.api.chat.ChatStream;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.sse.SseDecoder;
import dev.tollgate.core.sse.SseSink;
import dev.tollgate.core.sse.StreamDecoder;
import dev.tollgate.core.testkit.AnthropicWire;
import dev.tollgate.core.testkit.AwsEventFrames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Locale;

/** A stream that repeats the same few words, whose client reads all of it at once. */
final class TranslatedEvents implements SseSink, AutoCloseable {
  private static final int EVENT_BYTES_MAX = 1 << 16;

  private final ChatStream chat = new ChatStream(Samples.stamp());
  private final ByteBuf out = Unpooled.buffer(4_096);
  private final StreamDecoder decoder;
  private final ByteBuf event;

  /** Dialects of the stream. */
  enum Speaker {
    /** Forwarded without translation. */
    OPENAI(
        "",
        "data: {\"id\":\"c-1\",\"object\":\"chat.completion.chunk\",\"created\":1790000000,"
            + "\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":"
            + "\" a few words of text\"},\"finish_reason\":null}]}\n\n"),
    ANTHROPIC(
        AnthropicWire.start(5),
        AnthropicWire.delta(0, "text_delta", "text", " a few words of text")),
    /** Each event reports the usage so far. */
    GEMINI(
        "",
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\" a few words\"}],"
            + "\"role\":\"model\"},\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":32,"
            + "\"candidatesTokenCount\":49,\"totalTokenCount\":104,\"promptTokensDetails\":"
            + "[{\"modality\":\"TEXT\",\"tokenCount\":32}],\"thoughtsTokenCount\":23},"
            + "\"modelVersion\":\"gemini-2.5-flash\",\"responseId\":\"m4ztaP\"}\r\n\r\n"),
    COHERE(
        "event: message-start\ndata: {\"id\":\"c\",\"type\":\"message-start\",\"delta\":"
            + "{\"message\":{\"role\":\"assistant\",\"content\":[]}}}\n\n",
        "event: content-delta\ndata: {\"type\":\"content-delta\",\"index\":0,\"delta\":"
            + "{\"message\":{\"content\":{\"text\":\" a few words of text\"}}}}\n\n"),
    OLLAMA(
        "",
        "{\"model\":\"llama3.2\",\"created_at\":\"2026-01-01T00:00:00.000001Z\",\"message\":"
            + "{\"role\":\"assistant\",\"content\":\" a few words of text\"},\"done\":false}\n"),
    /** In a frame with two checksums. */
    BEDROCK("", "") {
      @Override
      byte[] event() {
        String json =
            "{\"contentBlockIndex\":0,\"delta\":{\"text\":\" a few words of text\"},"
                + "\"p\":\"abcdefghijklmnopqrstuvwxyz\"}";
        return new AwsEventFrames().event("contentBlockDelta", json).bytes();
      }
    };

    private final String start;
    private final String event;

    Speaker(String start, String event) {
      this.start = start;
      this.event = event;
    }

    byte[] event() {
      return event.getBytes(UTF_8);
    }
  }

  TranslatedEvents(Speaker speaker) {
    decoder = decoder(speaker);
    event = Unpooled.wrappedBuffer(speaker.event());
    decoder.feed(Unpooled.wrappedBuffer(speaker.start.getBytes(UTF_8)));
    out.clear();
  }

  private StreamDecoder decoder(Speaker speaker) {
    if (speaker == Speaker.OPENAI) {
      return new SseDecoder(this, EVENT_BYTES_MAX);
    }
    Dialect spoken = Dialects.named(speaker.name().toLowerCase(Locale.ROOT));
    return spoken
        .framing()
        .decoder(spoken.translation().orElseThrow().stream(this), EVENT_BYTES_MAX);
  }

  /** Relays one more event from the provider to the client. Returns the number of output bytes. */
  int next() {
    out.clear();
    decoder.feed(event.readerIndex(0));
    return out.readableBytes();
  }

  @Override
  public void event(String name, byte[] data, int from, int to) {
    chat.event(data, from, to, out);
  }

  @Override
  public void comment() {}

  @Override
  public void oversized(int eventBytesMax) {
    throw new AssertionError("no event here is that large");
  }

  @Override
  public void close() {
    decoder.close();
    chat.release();
    out.release();
  }
}
