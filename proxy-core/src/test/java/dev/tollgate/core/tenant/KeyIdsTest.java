package dev.tollgate.core.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KeyIdsTest {
  private final KeyIds ids = new KeyIds();

  @Test
  void untilAllIdsWereReadAnyKeyMayExist() {
    assertThat(ids.mayContain(id(7))).isTrue();
    ids.add(id(7));
    ids.completed();
    assertThat(ids.mayContain(id(7))).isTrue();
    assertThat(ids.mayContain(id(8))).isFalse();
  }

  @Test
  void anIdCountsOnce() {
    ids.add(id(7));
    ids.add(id(7));
    assertThat(ids.size()).isEqualTo(1);
  }

  @Test
  void aTextThatIsNoIdIsNeverContained() {
    ids.completed();
    ids.add(new KeyId("longer than an id"));
    ids.add(new KeyId(""));
    assertThat(ids.size()).isZero();
    assertThat(ids.mayContain(new KeyId("longer than an id"))).isFalse();
    assertThat(ids.mayContain(new KeyId(""))).isFalse();
  }

  @Test
  void idsBeyondTheBoundAreLeftOut() {
    ids.completed();
    for (int n = 0; n <= KeyIds.IDS_MAX; n++) {
      ids.add(id(n));
    }
    assertThat(ids.size()).isEqualTo(KeyIds.IDS_MAX);
    assertThat(ids.mayContain(id(0))).isTrue();
    assertThat(ids.mayContain(id(KeyIds.IDS_MAX - 1))).isTrue();
    assertThat(ids.mayContain(id(KeyIds.IDS_MAX))).isFalse();
  }

  @Test
  void anIdIsFoundWhileTheSetGrows() throws InterruptedException {
    ids.completed();
    ids.add(id(0));
    List<KeyId> missed = new ArrayList<>();
    Thread reader =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (ids.size() < 100_000) {
                    if (!ids.mayContain(id(0))) {
                      missed.add(id(0));
                    }
                  }
                });
    for (int n = 1; n < 100_000; n++) {
      ids.add(id(n));
    }
    reader.join();
    assertThat(missed).isEmpty();
  }

  private static KeyId id(int n) {
    return new KeyId("%08d".formatted(n));
  }
}
