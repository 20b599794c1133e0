package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.api.chat.ChatRequest;
import dev.tollgate.core.catalog.Route;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A chat's body, read and spliced for a provider. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RequestJmh {
  @Param({"1000", "100000"})
  int bytes;

  private final Route route = Samples.route(true);

  /** Reads and checks a body. */
  @Benchmark
  public ParseResult<ChatRequest> read() {
    byte[] body = body();
    return ChatRequest.parse(body, body.length);
  }

  /** Reads a body and writes it for a provider. */
  @Benchmark
  public long splice() {
    byte[] body = body();
    return switch (ChatRequest.parse(body, body.length)) {
      case ParseResult.Valid<ChatRequest> valid -> sent(valid.request());
      case ParseResult.Refused<ChatRequest> refused -> throw new AssertionError(refused);
    };
  }

  private long sent(ChatRequest request) {
    long length = 0;
    for (ByteBuf part : request.bodyFor(route)) {
      length += part.readableBytes();
      part.release();
    }
    return length;
  }

  private byte[] body() {
    if (made.length == 0) {
      String text = "Tell me of the sea. ".repeat(bytes / 20);
      made =
          ("{\"model\":\"acme/m1\",\"stream\":true,\"max_tokens\":100,\"messages\":[{\"role\":"
                  + "\"user\",\"content\":\""
                  + text
                  + "\"}],\"temperature\":0.5}")
              .getBytes(UTF_8);
    }
    return made;
  }

  private byte[] made = {};
}
