package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class SignalsTest {
  @Test
  void aHangUpReloadsInsteadOfEndingTheProcess() throws Exception {
    var reloads = new CountDownLatch(1);
    Signals.onHangUp(reloads::countDown);

    Class<?> signal = Class.forName("sun.misc.Signal");
    Object hangUp = signal.getConstructor(String.class).newInstance("HUP");
    signal.getMethod("raise", signal).invoke(null, hangUp);

    assertThat(reloads.await(10, TimeUnit.SECONDS)).isTrue();
  }
}
