package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.tollgate.core.api.TranslatedEvents.Speaker;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Heap per event of a long translated stream: no tree, and no growth. */
class TranslationCostTest {
  private static final int EVENTS = 10_000;

  @ParameterizedTest
  @CsvSource({
    "OPENAI, 64",
    "ANTHROPIC, 2000",
    "BEDROCK, 2000",
    "COHERE, 2000",
    "GEMINI, 2000",
    "OLLAMA, 2000",
  })
  void anEventTakesFewBytesOfHeapHoweverLongTheStream(Speaker speaker, long bytesMax) {
    assertThat(bytesPerEvent(speaker)).isLessThanOrEqualTo(bytesMax);
  }

  private static long bytesPerEvent(Speaker speaker) {
    try (var stream = new TranslatedEvents(speaker)) {
      feed(stream, 2_000); // one-time allocations, and the compiler's
      var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long before = threads.getCurrentThreadAllocatedBytes();
      feed(stream, EVENTS);
      long taken = threads.getCurrentThreadAllocatedBytes() - before;
      assertThat(before).as("the JVM counts").isPositive();
      return taken / EVENTS;
    }
  }

  private static void feed(TranslatedEvents stream, int times) {
    for (int i = 0; i < times; i++) {
      assert stream.next() > 0;
    }
  }
}
