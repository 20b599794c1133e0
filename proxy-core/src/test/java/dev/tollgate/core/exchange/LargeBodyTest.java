package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.exchange.frame.RequestService;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import io.netty.buffer.ByteBuf;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A 10 MiB body on its way from the array that it was collected into to the provider: what leaves
 * are slices of that very array, and nothing of its size is allocated.
 */
class LargeBodyTest {
  private static final int BODY_BYTES = 10 * 1024 * 1024;
  private static final int SMALL_BYTES = 1024;
  private static final long BUDGET_BYTES = 4L * BODY_BYTES;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Where the bytes of a request are. */
  enum Shape {
    ONE_TEXT("", "[{\"role\":\"user\",\"content\":\"", "x", "\"}]"),
    MANY_MESSAGES(
        "",
        "[{\"role\":\"system\",\"content\":\"s\"}",
        ",{\"role\":\"user\",\"content\":\"" + "y".repeat(2000) + "\"}",
        "]"),
    STREAMED("\"stream\":true,", "[{\"role\":\"user\",\"content\":\"", "z", "\"}]");

    private final String first;
    private final String start;
    private final String unit;
    private final String end;

    Shape(String first, String start, String unit, String end) {
      this.first = first;
      this.start = start;
      this.unit = unit;
      this.end = end;
    }

    /** A valid request of exactly 10 MiB; what its units leave is white space. */
    byte[] body() {
      String head = "{\"model\":\"acme/one\"," + first + "\"messages\":" + start;
      String tail = end + ",\"temperature\":1}";
      int left = BODY_BYTES - head.length() - tail.length();
      String middle = unit.repeat(left / unit.length()) + " ".repeat(left % unit.length());
      return (head + middle + tail).getBytes(US_ASCII);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatGoesToTheProviderAreSlicesOfTheOneArray(Shape shape) {
    byte[] body = shape.body();
    try (var scenario = Scenario.of(TestCatalog.of("alpha"), BUDGET_BYTES)) {
      RecordedClient client = scenario.ask(body);
      ProviderLink provider = scenario.link(0);

      String sent = requireSlices(provider, body);

      String upstream = new String(body, US_ASCII).replace("acme/one", "one-at-alpha");
      assertThat(sent.substring(sent.indexOf("\r\n\r\n") + 4))
          .as("the body that the provider got")
          .startsWith(upstream.substring(0, upstream.length() - 1));
      client.disconnect(RequestService.DisconnectReason.ABORTED);
    }
  }

  @Test
  void anotherTryTakesTheSameArray() {
    byte[] body = Shape.ONE_TEXT.body();
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"), BUDGET_BYTES)) {
      RecordedClient client = scenario.ask(body);
      requireSlices(scenario.link(0), body);

      scenario.link(0).send("HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\n{}");
      scenario.passSeconds(1);
      requireSlices(scenario.link(1), body);
      scenario.link(1).send(OpenAiWire.completion("fine"));

      assertThat(client.whole().status()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingOfItsSizeIsAllocatedOnTheWay(Shape shape) {
    Catalog catalog = TestCatalog.of("alpha");
    allocatedBytes(catalog, shape.body());
    long allocated = allocatedBytes(catalog, shape.body());
    assertThat(allocated).isLessThan(BODY_BYTES / 8); // some 220 bytes for each message
  }

  private static long allocatedBytes(Catalog catalog, byte[] body) {
    try (var scenario = Scenario.of(catalog, BUDGET_BYTES)) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      RecordedClient client = scenario.ask(body);
      long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
      client.disconnect(RequestService.DisconnectReason.ABORTED);
      return allocated;
    }
  }

  /** Everything that was sent, after a look at the memory it was in. */
  private static String requireSlices(ProviderLink provider, byte[] body) {
    StringBuilder sent = new StringBuilder();
    int elsewhere = 0;
    for (ByteBuf piece : provider.takeWritten()) {
      if (!piece.hasArray() || !isSame(piece.array(), body)) {
        elsewhere += piece.readableBytes();
      }
      sent.append(piece.toString(ISO_8859_1));
      piece.release();
    }
    assertThat(sent.length()).isGreaterThan(BODY_BYTES);
    assertThat(elsewhere)
        .as("bytes that were copied, the head's among them")
        .isLessThan(SMALL_BYTES);
    return sent.toString();
  }

  @SuppressWarnings("ReferenceEquality")
  private static boolean isSame(byte[] one, byte[] other) {
    return one == other;
  }
}
