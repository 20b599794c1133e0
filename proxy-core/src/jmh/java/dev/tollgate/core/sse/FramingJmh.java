package dev.tollgate.core.sse;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Events found in a stream's bytes: one per read, and many. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FramingJmh {
  private static final int MANY = 64;
  private static final String EVENT =
      "data: {\"id\":\"c-1\",\"object\":\"chat.completion.chunk\",\"created\":1790000000,"
          + "\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":"
          + "\" a few words of text\"},\"finish_reason\":null}]}\n\n";

  private final Count count = new Count();
  private final SseDecoder decoder = new SseDecoder(count, 1 << 16);
  private final ByteBuf one = Unpooled.wrappedBuffer(EVENT.getBytes(UTF_8));
  private final ByteBuf many = Unpooled.wrappedBuffer(EVENT.repeat(MANY).getBytes(UTF_8));

  @Benchmark
  public long oneToARead() {
    decoder.feed(one.readerIndex(0));
    return count.bytes;
  }

  @Benchmark
  @OperationsPerInvocation(MANY)
  public long manyToARead() {
    decoder.feed(many.readerIndex(0));
    return count.bytes;
  }

  private static final class Count implements SseSink {
    long bytes;

    @Override
    public void event(String name, byte[] data, int from, int to) {
      bytes += to - from;
    }

    @Override
    public void comment() {}

    @Override
    public void oversized(int eventBytesMax) {
      throw new AssertionError("no event here is that large");
    }
  }
}
