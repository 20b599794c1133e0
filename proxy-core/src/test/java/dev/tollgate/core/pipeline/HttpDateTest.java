package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The Date field's value, made once a second. */
final class HttpDateTest {
  @Test
  void theDateIsThatOfItsSecond() {
    AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-02T03:04:05Z"));
    HttpDate date = new HttpDate(now::get);
    byte[] first = date.text();
    assertThat(new String(first, US_ASCII)).isEqualTo("Fri, 02 Jan 2026 03:04:05 GMT");
    now.set(Instant.parse("2026-01-02T03:04:05.999Z"));
    assertThat(date.text()).isSameAs(first);
    now.set(Instant.parse("2026-01-02T03:04:06Z"));
    assertThat(new String(date.text(), US_ASCII)).isEqualTo("Fri, 02 Jan 2026 03:04:06 GMT");
    now.set(Instant.EPOCH);
    assertThat(new String(date.text(), US_ASCII)).isEqualTo("Thu, 01 Jan 1970 00:00:00 GMT");
  }
}
