package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ClosersTest {
  private final Closers closers = new Closers();
  private final List<String> closed = new ArrayList<>();

  @Test
  void theLastOpenedIsClosedFirst() {
    closers.add("store", () -> closed.add("store"));
    closers.add("listener", () -> closed.add("listener"));

    closers.close();

    assertThat(closed).containsExactly("listener", "store");
  }

  @Test
  void aFailureDoesNotKeepOthersOpen() {
    closers.add("store", () -> closed.add("store"));
    closers.add(
        "listener",
        () -> {
          throw new IOException("cannot");
        });

    closers.close();

    assertThat(closed).containsExactly("store");
  }

  @Test
  void nothingIsClosedTwice() {
    closers.add("store", () -> closed.add("store"));

    closers.close();
    closers.close();

    assertThat(closed).containsExactly("store");
  }
}
