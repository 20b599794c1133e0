package dev.tollgate.core.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Signer before the gateway's address is known. */
class PathSignerTest {
  private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
  private static final BlobName NAME =
      BlobName.parse("20261129/" + "0".repeat(16) + "/" + "a".repeat(26) + ".png").orElseThrow();

  @Test
  void noUrlIsSignedBeforeItsHostIsKnown() {
    var base = new AtomicReference<>("");
    var signer =
        new PathSigner(
            new BlobSigningKey("0a1b2c3d", "7".repeat(64)),
            () -> NOW,
            Duration.ofHours(1),
            base::get);
    assertThatThrownBy(() -> signer.url(NAME))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("before the gateway listens");
    base.set("https://gateway.test");
    assertThat(signer.url(NAME).url()).startsWith("https://gateway.test/artifacts/");
  }
}
