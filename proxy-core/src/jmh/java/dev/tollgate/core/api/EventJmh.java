package dev.tollgate.core.api;

import dev.tollgate.core.api.TranslatedEvents.Speaker;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One event of a stream, from the provider's bytes to the client's: forwarded or translated. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EventJmh {
  @Param({"OPENAI", "ANTHROPIC", "BEDROCK", "COHERE", "GEMINI", "OLLAMA"})
  String speaker = "OPENAI";

  private TranslatedEvents stream = new TranslatedEvents(Speaker.OPENAI);

  @Setup
  public void open() {
    stream.close();
    stream = new TranslatedEvents(Speaker.valueOf(speaker));
  }

  @TearDown
  public void close() {
    stream.close();
  }

  @Benchmark
  public int event() {
    return stream.next();
  }
}
